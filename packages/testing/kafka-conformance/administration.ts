import { describe, expect, test } from "@jest/globals";
import { fromClientError } from "#kafka";
import { type ConformanceBench, committedBy, keysOf, write } from "./bench.ts";
import { withMembers } from "./member.ts";

/** What a promise is rejected with, as the product reads it. */
function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "it succeeded",
    (thrown: unknown) => fromClientError(thrown),
  );
}

/** Facts of topics, offsets and groups as an administrator sees them. */
export function describeAdministration(bench: () => ConformanceBench): void {
  describe("administration", () => {
    test("a topic is made with its partitions and settings, and one that is there already is left as it is", async () => {
      const topic = await bench().topic(3, { "cleanup.policy": "delete", "retention.ms": "7200000" });
      const { admin } = bench().cluster("one");
      const again = { name: topic, partitions: 5, replicationFactor: 1, settings: { "retention.ms": "1" } };
      await bench().settled(admin.createTopics([again]));
      const shape = (await bench().settled(admin.shapes([topic]))).get(topic);
      expect(shape?.leaders).toHaveLength(3);
      for (const leader of shape?.leaders ?? []) expect(leader).toBeGreaterThan(0);
      const settings = (await bench().settled(admin.settings([topic]))).get(topic);
      expect(settings).toMatchObject({ "cleanup.policy": "delete", "retention.ms": "7200000" });
      expect(await bench().settled(admin.listTopics())).toContain(topic);
    });

    test("one setting of a topic is changed, and the others stay", async () => {
      const given = { "cleanup.policy": "delete", "retention.ms": "3600000", "min.insync.replicas": "1" };
      const topic = await bench().topic(1, given);
      const { admin } = bench().cluster("one");
      await bench().settled(admin.alterSetting(topic, "retention.ms", "7200000"));
      const settings = async () => (await bench().settled(admin.settings([topic]))).get(topic);
      await bench().until(async () => (await settings())?.["retention.ms"] === "7200000", "the change");
      expect(await settings()).toMatchObject({ ...given, "retention.ms": "7200000" });
    });

    test("a topic that is not there is an error that may pass", async () => {
      const { admin } = bench().cluster("one");
      const missing = bench().groupId();
      expect(await bench().settled(refusal(admin.shapes([missing])))).toMatchObject({
        code: "unknown_topic",
        canRetry: true,
      });
      expect(await bench().settled(refusal(admin.offsets(missing)))).toMatchObject({ code: "unknown_topic" });
    });

    test("a topic that was deleted is not there any more", async () => {
      const topic = await bench().topic(1);
      const { admin } = bench().cluster("one");
      await bench().settled(admin.deleteTopics([topic]));
      await bench().until(
        async () => !(await bench().settled(admin.listTopics())).includes(topic),
        "its end",
      );
      expect(await bench().settled(refusal(admin.shapes([topic])))).toMatchObject({ code: "unknown_topic" });
    });

    test("offsets are told per partition, also by time", async () => {
      const topic = await bench().topic(2);
      const { admin, fetchClient } = bench().cluster("one");
      await write(bench(), { topic, partition: 0 }, keysOf("a", 3));
      await bench().pass(50);
      await write(bench(), { topic, partition: 0 }, keysOf("b", 2));
      await bench().removeBefore({ topic, partition: 0 }, 1);
      const offsets = await bench().settled(admin.offsets(topic));
      expect(new Map(offsets.map(({ partition, low, high }) => [partition, [low, high]]))).toEqual(
        new Map([
          [0, [1, 5]],
          [1, [0, 0]],
        ]),
      );
      const fetched = await bench().settled(fetchClient.fetch({ topic, partition: 0 }, 3));
      const writtenAtMs = fetched.kind === "records" ? (fetched.records[0]?.timestampMs ?? 0) : 0;
      const at = async (timestampMs: number) =>
        new Map(
          (await bench().settled(admin.offsetsAt(topic, timestampMs))).map(({ partition, offset }) => [
            partition,
            offset,
          ]),
        );
      expect(await at(writtenAtMs)).toEqual(new Map([[0, 3], [1, 0]])); // biome-ignore format: pairs
      expect(await at(writtenAtMs + 3_600_000)).toEqual(new Map([[0, 5], [1, 0]])); // biome-ignore format: pairs
    });

    test("nobody's commit is taken by a group without a member, and refused while it has one", async () => {
      const topic = await bench().topic(2);
      const [groupId, unheard] = [bench().groupId(), bench().groupId()];
      const { admin } = bench().cluster("one");
      const committed = () => bench().settled(admin.commits(groupId, topic));
      const commit = (partition: number, offset: number, metadata?: string) =>
        bench().settled(admin.commitUnlessJoined(groupId, [{ topic, partition, offset, metadata }]));
      await write(bench(), { topic, partition: 0 }, ["a", "b"]);
      expect(await bench().settled(admin.memberCount([groupId, unheard]))).toBe(0);
      expect(await commit(0, 1, "text")).toBe(true);
      expect(await committed()).toEqual(new Map([[0, { offset: 1, metadata: "text" }]]));
      await withMembers(bench(), async (open) => {
        const member = await open({ groupId, topics: [topic] });
        await bench().until(() => member.keys.length > 0, "the record");
        expect(member.offsets(0)).toEqual([1]);
        expect(await bench().settled(admin.memberCount([groupId, unheard]))).toBe(1);
        expect(await commit(1, 7)).toBe(false);
      });
      expect(await bench().settled(admin.memberCount([groupId]))).toBe(0);
      expect((await committed()).has(1)).toBe(false);
    });

    test("a group that nobody has heard of has committed nothing", async () => {
      const topic = await bench().topic(1);
      expect(await committedBy(bench(), bench().groupId(), topic)).toEqual(new Map());
    });
  });
}
