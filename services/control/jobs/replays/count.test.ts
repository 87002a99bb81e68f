import { expect, test } from "@jest/globals";
import type { RawRecord } from "#kafka";
import { job } from "#support/records";
import { type DeliveryJob, type ReplayedCalls, topicMap } from "#topics";
import { replay, replayedCalls } from "../../records/replays/fixtures/replay.ts";
import { type Became, type CallReplay, CannotGoOn } from "./call-selection.ts";
import { type CountWork, countCalls } from "./count.ts";

const { calls: log, deliveryJobs: topic } = topicMap({ prefix: "", retryDelaysMs: [1_000] });

const BECAME: readonly Became[] = ["delivered", "dead", "pending", "delivered", "delivered", "delivered"];

/** Six jobs of d1 in two partitions, each behind one of d2: the fourth is of a deleted user, the last is a replay's. */
function jobAt(number: number): DeliveryJob {
  const replayId = number === 5 ? "rpl_0" : null;
  const body = Buffer.from('{"event":"Bought"}');
  return job({ jobId: `j${number}`, messageId: `m${number}`, replayId, body, userId: null });
}

function counted(
  calls: Partial<ReplayedCalls>,
  { stopsAt = Number.POSITIVE_INFINITY, error = undefined as Error | undefined } = {},
) {
  const ending = new AbortController();
  const stretches = [0, 1].map((partition) => ({ partition, fromOffset: 0, toOffset: 6 }));
  const asked = replayedCalls({ which: "all", stretches, ...calls });
  let read = 0;
  const work: CountWork = {
    topic,
    calls: log,
    destination: () => undefined,
    findMissing: () => Promise.reject(new Error("no missing calls are meant")),
    beginSlices: () => () => undefined,
    kafka: {
      async readRange({ partition, fromOffset, toOffset, onRecord }) {
        for (let offset = fromOffset; offset < toOffset; offset += 1) {
          if (read === stopsAt) ending.abort();
          ending.signal.throwIfAborted();
          read += 1;
          const number = partition * 3 + Math.floor(offset / 2);
          const key = offset % 2 === 0 ? "d2:0" : "d1:0";
          await onRecord({ partition, offset, key, value: Buffer.from([number]) } as RawRecord);
        }
      },
    },
    serde: { decode: (_: unknown, value: Buffer) => jobAt(value[0] ?? 0) } as never,
    findSettled: async () => {
      if (error !== undefined) throw error;
      return { became: async ({ jobId }) => BECAME[Number(jobId.slice(1))] ?? "pending" };
    },
    deletedUsers: { isOfDeleted: (job: object) => "messageId" in job && job.messageId === "m3" },
  };
  return countCalls({ ...replay({ ends: [] }), calls: asked } as CallReplay, work, ending.signal);
}

test.each([
  ["all", 3],
  ["delivered", 2],
  ["dead", 1],
] as const)("of %s calls those are counted that the replay would send", async (which, calls) => {
  expect(await counted({ which })).toEqual({
    ...{ calls, atLeast: calls, skipped: 0, recordsRead: 12, recordsToRead: 12 },
  });
});

test("what was found is said where not all was read in time, with how far it looked", async () => {
  expect(await counted({}, { stopsAt: 5 })).toMatchObject({ calls: null, atLeast: 2, recordsRead: 5 });
});

test("where too many calls wait to tell them from the others nothing is said", async () => {
  expect(await counted({}, { error: new CannotGoOn("more wait") })).toMatchObject({
    calls: null,
    atLeast: 0,
  });
  await expect(counted({}, { error: new Error("Kafka is away") })).rejects.toThrow("Kafka is away");
});
