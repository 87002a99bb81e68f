import { describe, expect, test } from "@jest/globals";
import { type ConformanceBench, keysOf, SELDOM, soon, write } from "./bench.ts";
import { inGroup, type Member, withMembers } from "./member.ts";

function partitionsOf(members: readonly Member[]): number[] {
  return members.flatMap(({ partitions }) => partitions).sort((a, b) => a - b);
}

/** Facts of joining, sharing and leaving. */
export function describeGroups(bench: () => ConformanceBench): void {
  describe("a group", () => {
    test("gives its only member everything, from the beginning where nothing was committed", async () => {
      await inGroup(bench(), 2, async ({ open, topic }) => {
        await write(bench(), { topic, partition: 1 }, keysOf("k", 3));
        const member = await open();
        expect(member.partitions).toEqual([0, 1]);
        await bench().until(() => member.keys.length === 3, "the records");
        expect(member.offsets(1)).toEqual([0, 1, 2]);
        expect(member.batches.at(-1)?.nextOffset).toBe(3);
      });
    });

    test("hands on what is written while a fetch waits, soon", async () => {
      await inGroup(bench(), 1, async ({ open, topic }) => {
        const member = await open();
        await bench().pass(1_000);
        await write(bench(), { topic, partition: 0 }, ["late"]);
        await bench().until(() => member.keys.includes("late"), "the record");
      });
    });

    test("shares with a second member, which the first learns by its heartbeat; both keep their ids, and hear what the leader tells them", async () => {
      await inGroup(bench(), 4, async ({ open }) => {
        const first = await open({ name: "first" });
        const { memberId } = first;
        const second = await open({ name: "second" });
        await bench().until(() => first.joins.length === 2, "the first member's second join");
        expect(partitionsOf([first, second])).toEqual([0, 1, 2, 3]);
        expect(first.partitions).toHaveLength(2);
        expect(first.memberId).toBe(memberId);
        expect(second.memberId).not.toBe(memberId);
        const leader = first.assigner.told.length > 1 ? first : second;
        expect(leader.assigner.told.at(-1)).toEqual(["first", "second"]);
        const heard = [first, second].map(({ joins }) => joins.at(-1)?.userData.toString());
        expect(heard).toEqual(["for first", "for second"]);
      });
    });

    test("shares anew when a member wants to join again, and the leader hears what that has to say now", async () => {
      await inGroup(bench(), 2, async ({ open }) => {
        const first = await open({ name: "first" });
        const second = await open({ name: "second", ...SELDOM });
        await bench().until(() => first.joins.length === 2, "the first member's second join");
        const joins = second.joins.length;
        second.assigner.says = "second, anew";
        second.session.rejoin();
        await soon(bench(), () => first.joins.length > 2 && second.joins.length > joins);
        expect(second.joins.at(-1)?.userData.toString()).toBe("for second, anew");
        expect([first.joins.length, second.joins.length]).toEqual([3, joins + 1]);
        expect(second.crashes).toEqual([]);
      });
    });

    test("shares topics that its leader does not read among those who do", async () => {
      const topics = [await bench().topic(2), await bench().topic(4)];
      const [common = ""] = topics;
      const groupId = bench().groupId();
      await withMembers(bench(), async (open) => {
        const before = await open({ groupId, topics: [common], name: "before" });
        const since = await open({ groupId, topics, name: "since" });
        await bench().until(() => before.joins.length === 2, "the first member's second join");
        const numbersOf = (topic: string) =>
          since.assigned.flatMap((each) => (each.topic === topic ? each.partition : []));
        expect(topics.map((topic) => numbersOf(topic).length)).toEqual([1, 4]);
        expect(before.assigned).toHaveLength(1);
      });
    });

    test("gives what a member that leaves had to the others", async () => {
      await inGroup(bench(), 2, async ({ open }) => {
        const first = await open({ name: "first" });
        const second = await open({ name: "second" });
        await bench().until(() => partitionsOf([first, second]).length === 2, "shared partitions");
        await bench().settled(second.session.stop());
        await bench().until(() => first.partitions.length === 2, "everything");
      });
    });

    test("is left at once by a member whose fetch waits", async () => {
      await inGroup(bench(), 2, async ({ open }) => {
        const first = await open({ name: "first" });
        const second = await open({ name: "second", ...SELDOM });
        await bench().until(() => first.partitions.length === 1, "one partition each");
        await bench().pass(1_000);
        let isStopped = false;
        void second.session.stop().then(() => {
          isStopped = true;
        });
        await soon(bench(), () => isStopped && first.partitions.length === 2);
      });
    });

    test("misses a member that says nothing after its session's time, not before", async () => {
      await inGroup(bench(), 2, async ({ open, topic }) => {
        await write(bench(), { topic, partition: 0 }, ["a"]);
        await write(bench(), { topic, partition: 1 }, ["b"]);
        const patient = { sessionTimeoutMs: 12_000 };
        const silent = await open({ ...patient, name: "silent" });
        const other = await open({ ...patient, name: "other" });
        await bench().until(() => silent.joins.length === 2, "the second join");
        // A handler that does not come back holds up the loop that the heartbeats come from.
        silent.holdAt("held");
        await bench().until(() => silent.partitions.length === 1, "one partition each");
        const [partition = 0] = silent.partitions;
        await write(bench(), { topic, partition }, ["held"]);
        await bench().until(() => silent.keys.includes("held"), "the record that is held");
        await bench().pass(4_000);
        expect(other.partitions).toHaveLength(1);
        await bench().until(() => other.partitions.length === 2, "everything");
        silent.release();
        await bench().until(() => silent.partitions.length === 1, "a share again");
      });
    }, 90_000);

    test("takes a new session for the member that it was, and lets it share at once", async () => {
      await inGroup(bench(), 2, async ({ open }) => {
        const before = await open({ name: "before" });
        const { memberId = "" } = before;
        const after = await open({ name: "after", rejoinAs: memberId });
        expect(after.memberId).toBe(memberId);
        expect(after.partitions).toEqual([0, 1]);
      });
    });

    test("takes a member that it does not know for a new one", async () => {
      await inGroup(bench(), 1, async ({ open }) => {
        const rejoinAs = "nobody-0f2b0a54-5c0e-4b7e-8a4e-0c1f8f0a7a11";
        const member = await open({ rejoinAs });
        expect(member.memberId).not.toBe(rejoinAs);
        expect(member.partitions).toEqual([0]);
      });
    });

    test.each([500, 2_000])(
      "answers a member that has nothing to read every %i ms, as it asks",
      async (heartbeatMs) => {
        await inGroup(bench(), 1, async ({ open }) => {
          const member = await open({ heartbeatMs });
          const times = () => member.answeredAtMs.slice(1);
          // With one every 5 s, as the client has it by itself, ten would not be there in time.
          await bench().until(() => times().length >= 10, "ten answers");
          const tookMs = (times()[9] ?? 0) - (times()[0] ?? 0);
          // The first may have been heard of late.
          expect(tookMs).toBeGreaterThan(8 * heartbeatMs * 0.9);
        });
      },
      90_000,
    );

    test("of a topic that is not there cannot be joined", async () => {
      const member = withMembers(bench(), async (open) => {
        await open({ groupId: bench().groupId(), topics: [bench().groupId()] });
      });
      await expect(member).rejects.toMatchObject({ code: "unknown_topic" });
    });
  });
}
