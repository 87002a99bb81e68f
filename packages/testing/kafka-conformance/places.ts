import { describe, expect, test } from "@jest/globals";
import { type ConformanceBench, committedBy, keysOf, SELDOM, soon, write } from "./bench.ts";
import { inGroup } from "./member.ts";

/** Facts of commits, and of where reading goes on. */
export function describePlaces(bench: () => ConformanceBench): void {
  describe("a commit", () => {
    test("is seen by everybody, and the next member begins there", async () => {
      await inGroup(bench(), 1, async ({ groupId, open, topic }) => {
        await write(bench(), { topic, partition: 0 }, keysOf("k", 5));
        const first = await open();
        await bench().until(() => first.keys.length === 5, "the records");
        await bench().settled(first.session.commit([{ topic, partition: 0, offset: 3 }]));
        expect(await committedBy(bench(), groupId, topic)).toEqual(new Map([[0, 3]]));
        await bench().settled(first.session.stop());
        const second = await open();
        await bench().until(() => second.keys.length === 2, "the rest");
        expect(second.offsets(0)).toEqual([3, 4]);
      });
    });

    test("keeps the text that came with it for the next member, until one comes without", async () => {
      await inGroup(bench(), 2, async ({ groupId, open, topic }) => {
        const partition = { topic, partition: 0 };
        await write(bench(), partition, keysOf("k", 5));
        const first = await open();
        await bench().until(() => first.keys.length === 5, "the records");
        expect(first.commitsRead.map(({ offset, metadata }) => [offset, metadata || undefined])).toEqual([
          [-1, undefined],
          [-1, undefined],
        ]);
        await bench().settled(
          first.session.commit([{ ...partition, offset: 1, metadata: "m".repeat(4_096) }]),
        );
        const { admin } = bench().cluster("one");
        const commits = await bench().settled(admin.commits(groupId, topic));
        expect([...commits]).toEqual([[0, { offset: 1, metadata: "m".repeat(4_096) }]]);
        await bench().settled(first.session.stop());
        const second = await open();
        await bench().until(() => second.keys.length === 4, "the rest");
        expect(second.commitsRead).toContainEqual({ ...partition, offset: 1, metadata: "m".repeat(4_096) });
        await bench().settled(second.session.commit([{ ...partition, offset: 2 }]));
        await bench().settled(second.session.stop());
        const third = await open();
        await bench().until(() => third.keys.length === 3, "what is left");
        const [read] = third.commitsRead.filter((each) => each.partition === 0);
        expect([read?.offset, read?.metadata || undefined]).toEqual([2, undefined]);
      });
    });

    test("overtakes none that was sent before it", async () => {
      await inGroup(bench(), 1, async ({ groupId, open, topic }) => {
        const partition = { topic, partition: 0 };
        await write(bench(), partition, keysOf("k", 20));
        const { session } = await open();
        const commits = Array.from({ length: 20 }, (_, offset) => session.commit([{ ...partition, offset }]));
        await bench().settled(Promise.all(commits));
        expect(await committedBy(bench(), groupId, topic)).toEqual(new Map([[0, 19]]));
      });
    });

    test("with more text than a broker keeps is refused, and says so", async () => {
      await inGroup(bench(), 1, async ({ open, topic }) => {
        const member = await open();
        const metadata = "m".repeat(4_097);
        const refused = member.session.commit([{ topic, partition: 0, offset: 0, metadata }]);
        await expect(bench().settled(refused)).rejects.toMatchObject({ code: "record_too_large" });
      });
    });

    test("of a partition that is another's is not refused (fact 7)", async () => {
      await inGroup(bench(), 2, async ({ groupId, open, topic }) => {
        for (const partition of [0, 1]) await write(bench(), { topic, partition }, ["k"]);
        const first = await open({ name: "first" });
        await open({ name: "second" });
        await bench().until(
          () => first.partitions.length === 1 && first.keys.length > 0,
          "one partition each",
        );
        const foreign = first.partitions.includes(0) ? 1 : 0;
        await bench().settled(first.session.commit([{ topic, partition: foreign, offset: 1 }]));
        expect(await committedBy(bench(), groupId, topic)).toEqual(new Map([[foreign, 1]]));
      });
    });

    test("of a member that the group has missed is refused", async () => {
      await inGroup(bench(), 1, async ({ groupId, open, topic }) => {
        await write(bench(), { topic, partition: 0 }, ["k"]);
        const silent = await open({ name: "silent" });
        silent.holdAt("held");
        await write(bench(), { topic, partition: 0 }, ["held"]);
        await bench().until(() => silent.keys.includes("held"), "the record that is held");
        await bench().pass(12_000);
        await expect(
          bench().settled(silent.session.commit([{ topic, partition: 0, offset: 1 }])),
        ).rejects.toMatchObject({ name: "KafkaError" });
        silent.release();
        expect(await committedBy(bench(), groupId, topic)).toEqual(new Map());
        await bench().until(() => silent.joins.length === 2, "its return");
      });
    }, 60_000);

    test("is taken while others wait for the rebalance, until the member has joined again", async () => {
      await inGroup(bench(), 1, async ({ groupId, open, topic }) => {
        await write(bench(), { topic, partition: 0 }, ["k"]);
        const patient = { sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 30_000 };
        const first = await open({ ...patient, name: "first" });
        first.holdAt("held");
        await write(bench(), { topic, partition: 0 }, ["held"]);
        await bench().until(() => first.keys.includes("held"), "the record that is held");
        const joining = open({ ...patient, name: "second" });
        await bench().pass(1_500);
        await bench().settled(first.session.commit([{ topic, partition: 0, offset: 2 }]));
        first.release();
        await bench().settled(joining);
        expect(await committedBy(bench(), groupId, topic)).toEqual(new Map([[0, 2]]));
      });
    }, 60_000);
  });

  describe("where a member reads", () => {
    test("begins at the commit again with every rebalance, for partitions that stay too (fact 7)", async () => {
      await inGroup(bench(), 2, async ({ open, topic }) => {
        for (const partition of [0, 1]) await write(bench(), { topic, partition }, keysOf("k", 4));
        const first = await open({ name: "first" });
        await bench().until(() => first.keys.length === 8, "the records");
        const both = [0, 1].map((partition) => ({ topic, partition, offset: 3 }));
        await bench().settled(first.session.commit(both));
        await open({ name: "second" });
        await bench().until(() => first.joins.length === 2, "the second join");
        const [kept = 0] = first.partitions;
        await bench().until(() => first.offsets(kept).length === 5, "what was read before");
        expect(first.offsets(kept)).toEqual([0, 1, 2, 3, 3]);
      });
    });

    test("can be set, and holds for the next fetch", async () => {
      await inGroup(bench(), 1, async ({ open, topic }) => {
        await write(bench(), { topic, partition: 0 }, keysOf("k", 4));
        const member = await open();
        await bench().until(() => member.keys.length === 4, "the records");
        member.session.seek({ topic, partition: 0, offset: 2 });
        await bench().until(() => member.keys.length === 6, "what was asked for again");
        expect(member.offsets(0)).toEqual([0, 1, 2, 3, 2, 3]);
      });
    });

    test("is passed over while it is paused, and soon again when it is not (fact 9)", async () => {
      await inGroup(bench(), 2, async ({ open, topic }) => {
        const member = await open({ ...SELDOM });
        member.session.setPaused({ topic, partition: 0 }, true);
        for (const partition of [0, 1]) await write(bench(), { topic, partition }, [`of ${partition}`]);
        await bench().until(() => member.keys.includes("of 1"), "the other partition's record");
        await bench().pass(1_000);
        expect(member.keys).not.toContain("of 0");
        member.session.setPaused({ topic, partition: 0 }, false);
        await soon(bench(), () => member.keys.includes("of 0"));
      });
    });

    test("is a time where the log ends before the commit: its end was lost, and what was written since is not", async () => {
      await inGroup(bench(), 1, async ({ open, topic }) => {
        const partition = { topic, partition: 0 };
        await write(bench(), partition, keysOf("before", 3));
        await bench().pass(50);
        await write(bench(), partition, keysOf("since", 2));
        const first = await open();
        await bench().until(() => first.keys.length === 5, "the records");
        await bench().settled(first.session.commit([{ ...partition, offset: 100 }]));
        await bench().settled(first.session.stop());
        const sinceMs = first.batches.flatMap(({ records }) => records).at(-1)?.timestampMs ?? 0;
        const second = await open({ readsSinceMs: sinceMs });
        await bench().until(() => second.keys.length === 2, "what came since");
        expect(second.offsets(0)).toEqual([3, 4]);
        expect(second.cuts).toEqual([{ ...partition, fromOffset: 100, startOffset: 0, endOffset: 5 }]);
        await bench().settled(second.session.stop());
        const third = await open({ readsSinceMs: sinceMs + 60_000 });
        await bench().until(() => third.cuts.length > 0, "the cut");
        await write(bench(), partition, ["new"]);
        await bench().until(() => third.keys.length > 0, "the new record");
        expect(third.offsets(0)).toEqual([5]);
      });
    });

    test("is a time for a member that reads on and finds that the log ends before its place", async () => {
      await inGroup(bench(), 1, async ({ open, topic }) => {
        const partition = { topic, partition: 0 };
        await write(bench(), partition, keysOf("k", 3));
        const member = await open({ readsSinceMs: 0 });
        await bench().until(() => member.keys.length === 3, "the records");
        member.session.seek({ ...partition, offset: 100 });
        await bench().until(() => member.keys.length === 6, "what was written since");
        expect(member.offsets(0)).toEqual([0, 1, 2, 0, 1, 2]);
        expect(member.cuts).toEqual([{ ...partition, fromOffset: 100, startOffset: 0, endOffset: 3 }]);
        await write(bench(), partition, ["new"]);
        await bench().until(() => member.keys.includes("new"), "the new record");
        expect([member.joins.length, member.crashes.length]).toEqual([1, 0]);
      });
    });

    test("is the log's start where the group was forgotten meanwhile, as one without members is after a week", async () => {
      await inGroup(bench(), 1, async ({ groupId, open, topic }) => {
        const partition = { topic, partition: 0 };
        await write(bench(), partition, keysOf("k", 3));
        const first = await open();
        await bench().until(() => first.keys.length === 3, "the records");
        await bench().settled(first.session.commit([{ ...partition, offset: 3, metadata: "text" }]));
        await bench().settled(first.session.stop());
        await bench().forget(groupId);
        const second = await open();
        await bench().until(() => second.keys.length === 3, "all that is there");
        expect(second.commitsRead.map(({ offset, metadata }) => [offset, metadata || undefined])).toEqual([
          [-1, undefined],
        ]);
        expect([second.cuts.length, second.gone.length]).toEqual([0, 0]);
      });
    });

    test("is the log's start where the log ends before the commit and nobody says since when", async () => {
      await inGroup(bench(), 1, async ({ open, topic }) => {
        const partition = { topic, partition: 0 };
        await write(bench(), partition, keysOf("k", 3));
        const first = await open();
        await bench().until(() => first.keys.length === 3, "the records");
        await bench().settled(first.session.commit([{ ...partition, offset: 100 }]));
        await bench().settled(first.session.stop());
        const second = await open();
        await bench().until(() => second.keys.length === 3, "all that is there");
        expect([second.offsets(0), second.cuts.length]).toEqual([[0, 1, 2], 1]);
      });
    });

    test("is the log's start when it was removed (fact 8), and the commit stays, with what it says is done", async () => {
      await inGroup(bench(), 1, async ({ groupId, open, topic }) => {
        const partition = { topic, partition: 0 };
        for (const prefix of ["a", "b"]) await write(bench(), partition, keysOf(prefix, 4));
        const first = await open();
        await bench().until(() => first.keys.length === 8, "the records");
        await bench().settled(first.session.commit([{ topic, partition: 0, offset: 2 }]));
        await bench().settled(first.session.stop());
        await bench().removeBefore(partition, 5);
        const second = await open();
        await bench().until(() => second.keys.length === 3, "what is left");
        expect(second.offsets(0)).toEqual([5, 6, 7]);
        expect(await committedBy(bench(), groupId, topic)).toEqual(new Map([[0, 2]]));
      });
    });
  });
}
