import { describe, expect, test } from "@jest/globals";
import { replayJobId } from "#contract";
import { systemHost } from "#host";
import type { RawRecord } from "#kafka";
import { job as jobRecord, START_MS } from "#support/records";
import { type DeliveryJob, type Replay, type ReplayedCalls, topicMap } from "#topics";
import { replay, replayedCalls } from "../../records/replays/fixtures/replay.ts";
import type { Became, CallReplay } from "./call-selection.ts";
import { type CallReplayWork, workOnCalls } from "./call-worker.ts";

const { calls: log, deliveryJobs: topic } = topicMap({ prefix: "", retryDelaysMs: [1_000] });

function job(messageId: string, changes: Partial<DeliveryJob> = {}): DeliveryJob {
  const body = Buffer.from(JSON.stringify({ event: "Bought" }));
  return jobRecord({ jobId: `j-${messageId}`, messageId, body, ...changes });
}

const SENT = ["m0", "m1", "m2", "m3", "m4", "m5"].map((messageId) => job(messageId));

interface World {
  readonly sent?: readonly DeliveryJob[];
  readonly calls?: Partial<ReplayedCalls>;
  readonly changes?: Partial<Replay>;
  readonly became?: (jobId: string) => Became;
  readonly deleted?: readonly string[];
  /** Where the log of each partition begins. */
  readonly low?: number;
  /** Kafka's acknowledgement. */
  readonly send?: () => Promise<void>;
  /** Called before each record is read. */
  readonly onRead?: (offset: number, world: { cancel(): void; lose(): void; pass(ms: number): void }) => void;
}

/** The jobs stand in two partitions, every second one in each. Pauses take no time; time passes by `pass` and pauses alone. */
async function run({
  sent = SENT,
  calls,
  changes,
  became,
  deleted = [],
  low = 0,
  onRead,
  send = async () => undefined,
}: World = {}) {
  const toOffset = Math.ceil(sent.length / 2);
  const stretches = [0, 1].map((partition) => ({ partition, fromOffset: 0, toOffset }));
  const asked = replayedCalls({ stretches, ...calls });
  const begun = { ...replay({ ends: [], ...changes }), calls: asked } as CallReplay;
  const saved: Replay[] = [];
  const written: DeliveryJob[][] = [];
  const read: string[] = [];
  const pausesMs: number[] = [];
  const state = { isCancelled: false, elapsedMs: 0 };
  const ending = new AbortController();
  const world = {
    cancel: () => Object.assign(state, { isCancelled: true }),
    lose: () => ending.abort(),
    pass: (ms: number) => Object.assign(state, { elapsedMs: state.elapsedMs + ms }),
  };
  const work: CallReplayWork = {
    store: {
      get: () => begun,
      isCancelled: () => state.isCancelled,
      async put(one) {
        saved.push(one);
      },
    },
    kafka: {
      async readRange({ partition, fromOffset, toOffset: end, onRecord, onRemoved, signal }) {
        if (low > fromOffset) onRemoved?.(Math.min(low, end) - fromOffset);
        for (let offset = Math.max(low, fromOffset); offset < end; offset += 1) {
          const found = sent[offset * 2 + partition];
          if (found === undefined) continue;
          onRead?.(offset * 2 + partition, world);
          if (signal?.aborted === true) throw new Error("ended");
          read.push(found.messageId);
          const value = Buffer.from(found.jobId);
          await onRecord({ partition, offset, value, key: `${found.destinationId}:0` } as RawRecord);
        }
        if (signal?.aborted === true) throw new Error("ended");
      },
    },
    calls: log,
    findMissing: () => Promise.reject(new Error("no missing calls are meant")),
    callStretches: () => Promise.reject(new Error("no missing calls are meant")),
    untilRouted: () => Promise.reject(new Error("no missing calls are meant")),
    beginSlices: () => () => undefined,
    findSettled: async () => ({ became: async ({ jobId }) => became?.(jobId) ?? "delivered" }),
    deletedUsers: { isOfDeleted: () => false },
    destination: () => undefined,
    write: send,
    serde: {
      encode: (_, one) => {
        written.at(-1)?.push(one as DeliveryJob);
        return Buffer.of();
      },
      decode: (_, bytes) => {
        const found = sent.find(({ jobId }) => jobId === bytes?.toString());
        if (found?.sourceId === "broken") throw Object.assign(new Error("no schema"), { canRetry: false });
        return found as never;
      },
    },
    topic,
    onReplayed: () => undefined,
    host: {
      ...systemHost,
      elapsed: () => state.elapsedMs,
      async delay(ms) {
        pausesMs.push(ms);
        state.elapsedMs += ms;
      },
    },
    nowMs: () => START_MS,
  };
  const noting: CallReplayWork = {
    ...work,
    deletedUsers: { isOfDeleted: (letter) => deleted.includes((letter as DeliveryJob).messageId) },
    serde: work.serde,
    // Encoded before they are sent: each sending begins with a list of its own.
    get write() {
      written.push([]);
      return work.write;
    },
  };
  await workOnCalls(begun, noting, ending.signal);
  const steps = written.filter((jobs) => jobs.length > 0);
  return {
    jobs: steps.flat(),
    steps: steps.map((jobs) => jobs.map(({ messageId }) => messageId)),
    saved,
    read,
    pausesMs,
  };
}

const idsOf = (jobs: readonly DeliveryJob[]): string[] => jobs.map(({ messageId }) => messageId);

describe("a replay of calls", () => {
  test("of one messageId reads on for calls of other users and sources with it", async () => {
    const sent = ["u1", "u2", "u1", "u3"].map((userId, number) => ({
      ...job(number === 2 ? "other" : "m", { userId }),
      jobId: `j${number}`,
    }));
    const everybody = await run({ sent, calls: { messageId: "m" } });
    expect(everybody.jobs.map(({ userId }) => userId).toSorted()).toEqual(["u1", "u2", "u3"]);
    const one = await run({ sent, calls: { messageId: "m", userId: "u2" } });
    expect(one.jobs.map(({ userId }) => userId)).toEqual(["u2"]);
    const sources = ["s1", "s2"].map((sourceId) => ({ ...job("m", { sourceId }), jobId: `j-${sourceId}` }));
    const everywhere = await run({ sent: sources, calls: { messageId: "m", userId: "u1" } });
    expect(everywhere.jobs.map(({ sourceId }) => sourceId)).toEqual(["s1", "s2"]);
    const nobody = await run({ sent, calls: { messageId: "m", anonymousId: "u2" } });
    expect(nobody.jobs).toEqual([]);
  });

  test("makes every call that was delivered a job again, marked, to the same destination", async () => {
    const { jobs, saved } = await run();
    expect(idsOf(jobs)).toEqual(["m0", "m2", "m4", "m1", "m3", "m5"]);
    expect(jobs[0]).toMatchObject({
      jobId: replayJobId("j-m0", "rpl_1"),
      replayId: "rpl_1",
      destinationId: "d1",
      attempts: 0,
    });
    const end = { state: "finished", matched: 6, replayed: 6, cursor: "1:2" };
    expect(saved.at(-1)).toMatchObject(end);
  });

  test("reads no call behind one whose job is not acknowledged, and ends where Kafka refuses it", async () => {
    let open = 0;
    const overtaken: number[] = [];
    const { jobs } = await run({
      async send() {
        open += 1;
        await new Promise(setImmediate);
        open -= 1;
      },
      onRead: (offset) => void (open > 0 && overtaken.push(offset)),
    });
    expect([jobs.length, overtaken]).toEqual([6, []]);
    const refused = run({ send: () => Promise.reject(new Error("Kafka is away")) });
    await expect(refused).rejects.toThrow("Kafka is away");
  });

  test("goes to another destination when it names one", async () => {
    const { jobs } = await run({ changes: { toDestinationId: "d2" } });
    expect(new Set(jobs.map(({ destinationId }) => destinationId))).toEqual(new Set(["d2"]));
  });

  test.each([
    ["delivered", ["m2", "m4", "m3", "m5"]],
    ["dead", ["m0"]],
    ["all", ["m0", "m2", "m4", "m3", "m5"]],
  ])("of %s ones takes no others, and none that waits", async (which, expected) => {
    const became = (jobId: string): Became => {
      if (jobId === "j-m0") return "dead";
      return jobId === "j-m1" ? "pending" : "delivered";
    };
    expect(idsOf((await run({ calls: { which }, became })).jobs)).toEqual(expected);
  });

  test.each<[string, Partial<ReplayedCalls>, Partial<Replay>, string[]]>([
    ["a source", { sourceId: "s2" }, {}, ["source"]],
    ["an event", { event: "Left" }, {}, ["event"]],
    ["a time", {}, { fromMs: START_MS + 5, toMs: START_MS + 6 }, ["later"]],
    ["nothing", {}, {}, ["source", "event", "later", "page"]],
  ])(
    "narrowed by %s means those alone, and never what a replay sent or another destination got",
    async (_, calls, changes, expected) => {
      const sent = [
        job("source", { sourceId: "s2" }),
        job("event", { body: Buffer.from(JSON.stringify({ event: "Left" })) }),
        job("later", { receivedAtMs: START_MS + 5 }),
        job("after", { receivedAtMs: START_MS + 6, replayId: "rpl_0" }),
        job("page", { type: "page", body: Buffer.from(JSON.stringify({ event: "Left" })) }),
        job("elsewhere", { destinationId: "d3" }),
      ];
      const { jobs } = await run({ sent, calls, changes });
      expect(idsOf(jobs).sort()).toEqual([...expected].sort());
    },
  );

  test("of one call ends where it was found", async () => {
    const { jobs, read, saved } = await run({ calls: { messageId: "m2", userId: "u1", sourceId: "s1" } });
    expect([idsOf(jobs), read]).toEqual([["m2"], ["m0", "m2"]]);
    expect(saved.at(-1)).toMatchObject({ state: "finished", matched: 1, replayed: 1 });
  });

  test("leaves out calls of users that were deleted since, and counts them; and what cannot be read", async () => {
    const sent = [...SENT, job("m6", { sourceId: "broken" })];
    const { jobs, saved } = await run({ sent, deleted: ["m3", "m4"] });
    expect(idsOf(jobs)).toEqual(["m0", "m2", "m1", "m5"]);
    expect(saved.at(-1)).toMatchObject({ matched: 6, replayed: 4, deleted: 2, skipped: 1 });
  });

  test("goes on behind the cursor of an earlier owner", async () => {
    const { jobs, saved } = await run({ changes: { cursor: "0:1", matched: 2, replayed: 2 } });
    expect(idsOf(jobs)).toEqual(["m4", "m1", "m3", "m5"]);
    expect(saved.at(-1)).toMatchObject({ matched: 6, replayed: 6 });
  });

  test("says how many records retention has removed before their turn", async () => {
    const { jobs, saved } = await run({ low: 2 });
    expect([idsOf(jobs), saved.at(-1)?.expired]).toEqual([["m4", "m5"], 4]);
    const later = await run({ low: 3, changes: { cursor: "0:0", expired: 1 } });
    expect(later.saved.at(-1)).toMatchObject({ state: "finished", expired: 6, cursor: "1:2" });
  });

  test("keeps its pace, and writes how far it is once a second", async () => {
    const { pausesMs, saved, steps } = await run({ changes: { callsPerSecond: 2 } });
    expect(steps).toEqual([["m0"], ["m2"], ["m4"], ["m1"], ["m3"], ["m5"]]);
    expect(pausesMs).toEqual([500, 500, 500, 500, 500, 500]);
    expect(saved.map(({ state, cursor }) => [state, cursor])).toEqual([
      ["running", "0:2"],
      ["running", "1:1"],
      ["running", "1:2"],
      ["finished", "1:2"],
    ]);
  });

  test("passes records of others, and moves its cursor while nothing is meant", async () => {
    const sent = SENT.map((one) => ({ ...one, destinationId: "d2" }));
    const { saved, steps } = await run({ sent, onRead: (_, world) => world.pass(600) });
    expect(steps).toEqual([]);
    expect(saved.map(({ cursor }) => cursor)).toEqual(["0:1", "1:1", "1:2"]);
  });

  test("that is cancelled sends no more, and its end says so", async () => {
    const { saved, steps } = await run({
      changes: { callsPerSecond: 2 },
      onRead: (place, world) => place === 4 && world.cancel(),
    });
    expect(steps).toEqual([["m0"], ["m2"]]);
    expect(saved.at(-1)).toMatchObject({ state: "cancelled", replayed: 2 });
  });

  test("writes at its hand-over how far it came", async () => {
    const { saved, steps } = await run({
      changes: { callsPerSecond: 2 },
      onRead: (place, world) => place === 4 && world.lose(),
    });
    expect(steps).toEqual([["m0"], ["m2"]]);
    expect(saved).toEqual([expect.objectContaining({ state: "running", cursor: "0:1", replayed: 2 })]);
  });
});
