// Calls that a destination was never sent: which are meant, and what a kill leaves. Kafka is a list of records for each topic.
import { expect, test } from "@jest/globals";
import { deliveryJobId, replayJobId } from "#contract";
import { systemHost } from "#host";
import type { Kafka, RawRecord } from "#kafka";
import { call as callRecord, destination, routedCall, START_MS } from "#support/records";
import {
  type Call,
  type DeliveryJob,
  type DestinationConfig,
  deliveryJob,
  type Replay,
  type ReplayedCalls,
  topicMap,
} from "#topics";
import type { ListedRoutedCall } from "../../deliveries/index/routed-calls-table.ts";
import { replay, replayedCalls } from "../../records/replays/fixtures/replay.ts";
import type { CallReplay } from "./call-selection.ts";
import { type CallReplayWork, workOnCalls } from "./call-worker.ts";
import { countCalls } from "./count.ts";
import { findMissing } from "./missing-calls.ts";

const topics = topicMap({ prefix: "", retryDelaysMs: [1_000] });

function call(messageId: string, changes: Partial<Call> = {}): Call {
  const body = Buffer.from(JSON.stringify({ type: "track", event: "Bought", messageId }));
  return callRecord({ messageId, event: "Bought", body, ...changes });
}

const sentBefore = (one: Call) => ({ ...deliveryJob(one, destination()), replayId: "rpl_0" });

type Said = Partial<Pick<ListedRoutedCall, "outcome" | "destinationIds">>;

interface World {
  readonly calls: readonly Call[];
  /** By message id; of those that are not named nothing is known. */
  readonly said: Readonly<Record<string, Said>>;
  readonly destination?: DestinationConfig | undefined;
  /** What becomes of it once there are so many jobs. */
  readonly later?: { readonly jobs: number; readonly destination: DestinationConfig | undefined };
  readonly jobs?: readonly DeliveryJob[];
  readonly selection?: Partial<ReplayedCalls>;
  readonly between?: Partial<Pick<Replay, "fromMs" | "toMs">>;
  readonly deleted?: string;
  readonly maxGiven?: number;
  /** Of the calls, those that routers have committed when it is asked for; all unless given. */
  readonly routed?: number;
}

const NEVER = { outcome: "no_destination", destinationIds: [] };

function setup(world: World) {
  const { calls, deleted, later, maxGiven = 100, said, selection = {} } = world;
  const log = [...(world.jobs ?? [])];
  const to = "destination" in world ? world.destination : destination();
  const saved: Replay[] = [];
  const killed = new AbortController();
  const settings = { killAfter: Number.POSITIVE_INFINITY, routed: world.routed ?? calls.length };
  const stretches = () => [{ partition: 0, fromOffset: 0, toOffset: settings.routed }];
  const pausesMs: number[] = [];
  const kafka: Pick<Kafka, "readRange"> = {
    async readRange({ topic, fromOffset, toOffset, onRecord, signal }) {
      const all = topic === topics.calls.name ? calls : log;
      for (let offset = fromOffset; offset < Math.min(toOffset, all.length); offset += 1) {
        signal?.throwIfAborted();
        const one = all[offset] ?? call("none");
        const owner = "destinationId" in one ? one.destinationId : one.sourceId;
        const value = Buffer.from(JSON.stringify(offset));
        await onRecord({ partition: 0, offset, key: `${owner}:0`, value } as RawRecord);
      }
    },
  };
  const decode = (topic: { readonly name: string }, value: Buffer | null): never => {
    const all: readonly unknown[] = topic.name === topics.calls.name ? calls : log;
    const found = all[Number(value?.toString())];
    if (JSON.stringify(found).includes("broken"))
      throw Object.assign(new Error("no schema"), { canRetry: false });
    return found as never;
  };
  const missingParts = {
    kafka,
    serde: {
      decodeFields: (topic: { readonly name: string }) => (value: Buffer | null) => decode(topic, value),
    },
    topic: topics.deliveryJobs,
    index: {
      listRoutedCalls: ({ messageId }: { readonly messageId: string }): ListedRoutedCall[] =>
        calls.flatMap((one, place) =>
          one.messageId === messageId && said[messageId] !== undefined
            ? { ...routedCall(one), place, callPlace: place, ...NEVER, ...said[messageId] }
            : [],
        ),
    },
    progress: { untilCovers: async () => true },
    maxGiven,
    routedCallEnds: async () => [calls.length],
    jobStretches: async () => [{ partition: 0, fromOffset: 0, toOffset: log.length }],
  } as unknown as Parameters<typeof findMissing>[0];
  const work = {
    kafka,
    store: {
      isCancelled: () => false,
      put: async (one: Replay) => void saved.push(one),
    },
    serde: { decode, encode: (_: unknown, job: DeliveryJob) => log.push(job) },
    topic: topics.deliveryJobs,
    calls: topics.calls,
    deletedUsers: { isOfDeleted: ({ userId }: Call) => userId === deleted },
    destination: () => (later === undefined || log.length < later.jobs ? to : later.destination),
    findMissing: (one: CallReplay, signal: AbortSignal) => findMissing(missingParts, one, signal),
    beginSlices: () => () => undefined,
    async write() {
      if (log.length < settings.killAfter) return;
      killed.abort();
      throw new Error("killed");
    },
    onReplayed: () => undefined,
    callStretches: async () => stretches(),
    untilRouted: async () => void Object.assign(settings, { routed: calls.length }),
    host: { ...systemHost, delay: async (ms: number) => void pausesMs.push(ms) },
    nowMs: () => START_MS,
  } as unknown as CallReplayWork;
  const asked = replayedCalls({ which: "missing", stretches: stretches(), ...selection });
  // A job a step.
  const begun = { ...replay({ ends: [], callsPerSecond: 1, ...world.between }), calls: asked } as CallReplay;
  return {
    log,
    saved,
    settings,
    count: () => countCalls(begun, work, new AbortController().signal),
    run: (signal = new AbortController().signal) => workOnCalls(begun, work, signal),
    killed: killed.signal,
    pausesMs,
  };
}

/** What is sent, by message id, and how it ends. */
async function sent(world: World) {
  const { count, log, run, saved } = setup(world);
  const { calls } = await count();
  await run();
  const ids = log.slice(world.jobs?.length ?? 0).map(({ messageId }) => messageId);
  expect(calls).toBe(ids.length);
  return { ids, end: saved.at(-1), jobs: log };
}

test("a call that went elsewhere or nowhere is sent once, as a replay's job of this destination", async () => {
  const world = { calls: [call("a"), call("b"), call("c")], said: { a: {}, b: { destinationIds: ["d2"] } } };
  const { end, ids, jobs } = await sent({ ...world, said: { ...world.said, c: { destinationIds: ["d1"] } } });
  expect(ids).toEqual(["a", "b"]);
  const expected = { jobId: replayJobId(deliveryJobId(call("a"), "d1"), "rpl_1"), replayId: "rpl_1" };
  expect(jobs[0]).toMatchObject({ ...expected, destinationId: "d1", receivedAtMs: START_MS });
  expect(end).toMatchObject({ state: "finished", matched: 2, replayed: 2, skipped: 0 });
});

test.each<[string, Partial<World>]>([
  ["the destination would not have it now", { destination: destination({ callTypes: ["page"] }) }],
  ["its filter does not let it pass", { destination: destination({ filter: '{"event":"Left"}' }) }],
  ["its integrations leave it out", { calls: [call("a", { integrations: { All: false } })] }],
  ["the destination is not connected", { destination: destination({ sourceIds: ["s2"] }) }],
  ["it was suppressed", { said: { a: { outcome: "suppressed" } } }],
  ["it is a copy", { said: { a: { outcome: "duplicate" } } }],
  ["another source is meant", { selection: { sourceId: "s2" } }],
  ["another event is meant", { selection: { event: "Left" } }],
  ["another replay gave it", { jobs: [{ ...sentBefore(call("a")), jobId: "r" }] }],
  ["a sync gave it", { jobs: [{ ...deliveryJob(call("a"), destination()), jobId: "synced" }] }],
])("a call is not sent where %s", async (_, changes) => {
  const { end, ids } = await sent({ calls: [call("a")], said: { a: {} }, ...changes });
  expect(ids).toEqual([]);
  expect(end).toMatchObject({ state: "finished", matched: 0, replayed: 0 });
});

test.each<[string, DestinationConfig | undefined, RegExp]>([
  ["is off", destination({ enabled: false }), /^destination d1 was switched off/],
  ["is gone", undefined, /^destination d1 was deleted/],
])(
  "where the destination %s before the end it ends and says why: no call is passed over",
  async (_, to, why) => {
    const world = { calls: ["a", "b", "c"].map((id) => call(id)), said: { a: {}, b: {}, c: {} } };
    const { log, run, saved } = setup({ ...world, later: { jobs: 1, destination: to } });
    await run();
    expect(log.map(({ messageId }) => messageId)).toEqual(["a"]);
    const end = { state: "cancelled", matched: 1, replayed: 1, cursor: "0:0" };
    expect(saved.at(-1)).toMatchObject({ ...end, error: expect.stringMatching(why) });
    const counted = await setup({ ...world, later: { jobs: 0, destination: to } }).count();
    expect(counted).toMatchObject({ calls: null, atLeast: 0 });
  },
);

test("calls are read up to where all routers go by the configuration for which it was asked", async () => {
  const world = { calls: [call("a"), call("b")], said: { a: {}, b: {} }, routed: 1 };
  const { log, pausesMs, run, saved } = setup(world);
  await run();
  expect([log.map(({ messageId }) => messageId), pausesMs[0]]).toEqual([["a", "b"], 2_000]);
  const stretches = [{ partition: 0, fromOffset: 0, toOffset: 2 }];
  expect(saved.at(-1)).toMatchObject({ state: "finished", replayed: 2, calls: { stretches } });
});

test("where nothing is known of a call, or it cannot be read, that is counted, and nothing is sent", async () => {
  const { end, ids } = await sent({ calls: [call("a"), call("broken"), call("c")], said: { c: {} } });
  expect(ids).toEqual(["c"]);
  expect(end).toMatchObject({ replayed: 1, skipped: 2 });
});

test("calls of users that were deleted since are left out, and counted", async () => {
  const calls = [call("a"), call("b", { userId: "u2" })];
  const { end, ids } = await sent({ calls, said: { a: {}, b: {} }, deleted: "u2" });
  expect(ids).toEqual(["a"]);
  expect(end).toMatchObject({ matched: 2, replayed: 1, deleted: 1 });
});

test("a call that came again after a day is sent once", async () => {
  expect((await sent({ calls: [call("a"), call("a")], said: { a: {} } })).ids).toEqual(["a"]);
});

test("a kill between the jobs and the word of them sends none twice, and the count is whole, also of more jobs than are kept of others", async () => {
  const ids = ["a", "b", "c", "d"];
  const said = Object.fromEntries(ids.map((id) => [id, {}]));
  const calls = ids.map((id) => call(id));
  const { killed, log, run, saved, settings } = setup({ calls, said, maxGiven: 1 });
  settings.killAfter = 2;
  await run(killed);
  expect(log.length).toBe(2);
  saved.length = 0;
  settings.killAfter = Number.POSITIVE_INFINITY;
  await run();
  expect(log.map(({ messageId }) => messageId)).toEqual(ids);
  expect(saved.at(-1)).toMatchObject({ state: "finished", matched: 4, replayed: 4 });
});

test("what others sent of calls that are not meant takes no room", async () => {
  const others = [{ receivedAtMs: START_MS - 1 }, { receivedAtMs: START_MS + 1 }, { sourceId: "s2" }];
  const jobs = [...others, {}, {}].map((changes) => sentBefore(call("b", changes)));
  const world = { calls: [call("a"), call("b")], said: { a: {}, b: {} }, jobs, maxGiven: 1 };
  const between = { fromMs: START_MS, toMs: START_MS + 1 };
  expect((await sent({ ...world, selection: { sourceId: "s1" }, between })).ids).toEqual(["a"]);
});

test("where too many were sent again to keep in memory it ends and says why, and a count is not whole", async () => {
  const jobs = ["m1", "m2"].map((id) => sentBefore(call(id)));
  const world = { calls: [call("a")], said: { a: {} }, jobs };
  const { count, log, run, saved } = setup({ ...world, maxGiven: 1 });
  await run();
  const error = expect.stringMatching(/^more than 1 of .* narrow it by/);
  expect([saved, log.length]).toMatchObject([[{ state: "cancelled", error, replayed: 0 }], jobs.length]);
  expect(await count()).toMatchObject({ calls: null, atLeast: 0 });
  expect(await setup({ ...world, maxGiven: 2 }).count()).toMatchObject({ calls: 1 });
});
