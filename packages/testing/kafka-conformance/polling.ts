import { describe, expect, test } from "@jest/globals";
import type { Polled, Wanted } from "#kafka";
import { type ConformanceBench, keysOf, soon, write } from "./bench.ts";

const LONG_WAIT_MS = 5_000;

/** Facts of reading many partitions in one request, without a group. */
export function describePolling(bench: () => ConformanceBench): void {
  describe("polling", () => {
    test("one request brings records of several topics and partitions, from where each was asked for", async () => {
      const [one, other] = [await bench().topic(2), await bench().topic(1)];
      await write(bench(), { topic: one, partition: 1 }, keysOf("a", 3));
      await write(bench(), { topic: other, partition: 0 }, keysOf("b", 2));
      const polled = await pollOnce(bench(), [wanted(one, 0, 0), wanted(one, 1, 2), wanted(other, 0, 0)]);
      expect(inWords(polled, one)).toEqual(["1: a2 next 3"]);
      expect(inWords(polled, other)).toEqual(["0: b0 b1 next 2"]);
    });

    test("where there is nothing it waits as long as it was told, and brings nothing", async () => {
      const topic = await bench().topic(1);
      const polled = await pollOnce(bench(), [wanted(topic, 0, 0)], 100);
      expect(polled.filter(({ kind }) => kind !== "nothing")).toEqual([]);
    });

    test("a record that is written meanwhile ends the wait", async () => {
      const topic = await bench().topic(2);
      const polling = pollOnce(bench(), [wanted(topic, 0, 0), wanted(topic, 1, 0)], 14_000);
      let polled: readonly Polled[] | undefined;
      void polling.then((found) => {
        polled = found;
      });
      await bench().pass(200);
      expect(polled).toBeUndefined();
      await write(bench(), { topic, partition: 1 }, ["late"]);
      await soon(bench(), () => polled !== undefined);
      expect(inWords(polled ?? [], topic)).toEqual(["1: late next 1"]);
    });

    test("a partition that is out of range, or not there, takes no other along", async () => {
      const topic = await bench().topic(2);
      await write(bench(), { topic, partition: 0 }, ["a"]);
      const polled = await pollOnce(bench(), [wanted(topic, 0, 0), wanted(topic, 1, 9), wanted(topic, 7, 0)]);
      const byPartition = new Map(polled.map((each) => [each.partition, each]));
      expect(byPartition.get(0)).toMatchObject({ kind: "records", nextOffset: 1 });
      expect(byPartition.get(1)).toMatchObject({ kind: "out_of_range" });
      expect(byPartition.get(7)).toMatchObject({
        kind: "refused",
        error: { code: "unknown_topic", canRetry: true },
      });
    });

    test("a topic that is not there has no leaders, and may be about to be made", async () => {
      const { pollClient } = bench().cluster("poller");
      const asked = bench().settled(pollClient.leaders(bench().groupId()));
      await expect(asked).rejects.toMatchObject({ type: "UNKNOWN_TOPIC_OR_PARTITION" });
    });

    test("one that is ended brings nothing, and the next one is asked at once", async () => {
      const topic = await bench().topic(2);
      await write(bench(), { topic, partition: 1 }, ["there"]);
      const { pollClient } = bench().cluster("poller");
      const [leader = -1] = await bench().settled(pollClient.leaders(topic));
      const ending = new AbortController();
      const polling = pollClient.poll(leader, [wanted(topic, 0, 0)], {
        maxMs: 14_000,
        signal: ending.signal,
      });
      await bench().pass(200);
      ending.abort();
      expect(await bench().settled(polling)).toEqual([]);
      const both = [wanted(topic, 0, 0), wanted(topic, 1, 0)];
      const polled = bench().settled(pollClient.poll(leader, both, { maxMs: 14_000 }));
      expect(inWords(await polled, topic)).toEqual(["1: there next 1"]);
    });

    test("closing ends a poll that waits", async () => {
      const topic = await bench().topic(1);
      const { pollClient } = bench().cluster("closer");
      const [leader = -1] = await bench().settled(pollClient.leaders(topic));
      const polling = pollClient.poll(leader, [wanted(topic, 0, 0)], { maxMs: 14_000 });
      let isOver = false;
      const over = (): void => {
        isOver = true;
      };
      void polling.then(over, over);
      await bench().pass(200);
      expect(isOver).toBe(false);
      await bench().settled(pollClient.close());
      await soon(bench(), () => isOver);
    });
  });
}

function wanted(topic: string, partition: number, offset: number): Wanted {
  return { topic, partition, offset };
}

/** One poll of the only broker, or of the leader of the first partition. */
async function pollOnce(
  bench: ConformanceBench,
  asked: readonly [Wanted, ...Wanted[]],
  maxWaitMs = LONG_WAIT_MS,
): Promise<readonly Polled[]> {
  const { pollClient } = bench.cluster("poller");
  const [{ topic, partition }] = asked;
  const leaders = await bench.settled(pollClient.leaders(topic));
  return await bench.settled(pollClient.poll(leaders[partition] ?? -1, asked, { maxMs: maxWaitMs }));
}

/** Of a topic by partition: the keys, and where to go on. */
function inWords(polled: readonly Polled[], topic: string): string[] {
  return polled.flatMap((each) => {
    if (each.topic !== topic || each.kind !== "records") return [];
    const keys = each.records.map(({ key }) => key).join(" ");
    return [`${each.partition}: ${keys} next ${each.nextOffset}`];
  });
}
