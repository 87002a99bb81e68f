// Drives the deliverer's step without a broker: jobs go in, what they become comes out, and the clock is the test's.
import { createRetrySchedule, type RequestResult } from "#contract";
import type { PostOptions } from "#egress";
import type { Claim, OutgoingRecord, Settle } from "#kafka";
import type { Serde } from "#serde";
import {
  type DeadLetter,
  type DeliveryJob,
  type DestinationConfig,
  deliveryKey,
  type TopicMap,
  topicMap,
} from "#topics";
import { createAttempts } from "./attempts.ts";
import { createDeliver, type DeliverOptions } from "./deliver.ts";
import { createDestinations } from "./destinations.ts";
import { destination, RETRY_DELAYS_MS, response, START_MS, secretBox, WINDOW_MS } from "./jobs.fixture.ts";
import type { JobVerdict } from "./judge.ts";
import { Gates } from "./lanes/gates.ts";
import { Lanes } from "./lanes/lanes.ts";
import type { DivertReason, LaneRequest } from "./lanes/request.ts";
import type { WebhookResult } from "./outcomes.ts";
import { RecentJobs } from "./recent-jobs.ts";
import { createRecords } from "./records.ts";

interface Sent {
  readonly atMs: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface DriverOptions {
  /** Answers requests; 200 unless given. */
  readonly respond?: (request: PostOptions, atMs: number) => RequestResult | Promise<RequestResult>;
  /** Lanes that turn requests away. */
  readonly divert?: (url: string) => DivertReason | undefined;
  /** How late a waiting job comes out of its retry topic. */
  readonly latenessMs?: number;
  /** Called before a value is encoded. */
  readonly onEncode?: (topic: string) => void;
}

/** The topics that the deliverer writes, in memory. */
function memoryTopics(topics: TopicMap, onEncode: (topic: string) => void) {
  const values = new WeakMap<Buffer, unknown>();
  const written: OutgoingRecord[] = [];
  const pending: DeliveryJob[] = [];
  const deadLetters: DeadLetter[] = [];
  const encode: Serde["encode"] = ({ name }, value) => {
    onEncode(name);
    const token = Buffer.from([1]);
    values.set(token, value);
    return token;
  };
  function keep(record: OutgoingRecord): void {
    written.push(record);
    const value = record.value === null ? undefined : values.get(record.value);
    if (record.topic === topics.deadLetters.name) deadLetters.push(value as DeadLetter);
    else pending.push(value as DeliveryJob);
  }
  return { deadLetters, encode, keep, pending, written };
}

/** The table of destinations, and changes that it has not read yet: they come with the next look at the topic's end. */
function memoryTable() {
  const configs = new Map([["d1", destination()]]);
  const unread = new Map<string, DestinationConfig>();
  return {
    configs,
    unread,
    get: (id: string) => configs.get(id),
    async load() {
      for (const [id, config] of unread) configs.set(id, config);
      unread.clear();
    },
  };
}

/** The real lanes behind a door that some requests do not get through. */
function guardedLanes(lanes: Lanes, divert: (url: string) => DivertReason | undefined) {
  return {
    enter(request: LaneRequest, nowMs: number): void {
      const reason = divert(request.endpoint);
      if (reason === undefined) lanes.enter(request, nowMs);
      else request.divert(reason, undefined);
    },
    ended: lanes.ended.bind(lanes),
    room: lanes.room.bind(lanes),
  };
}

export function createDriver({
  divert = () => undefined,
  latenessMs = 0,
  onEncode = () => undefined,
  respond = () => response(200),
}: DriverOptions = {}) {
  const topics = topicMap({ prefix: "", retryDelaysMs: RETRY_DELAYS_MS });
  /** `setByMs`: by how much somebody has set the clock. */
  const clock = { nowMs: START_MS, setByMs: 0, fractionMs: 0 };
  // A clock for durations counts parts of milliseconds too.
  const elapsedMs = () => clock.nowMs + clock.fractionMs;
  const nowMs = () => clock.nowMs + clock.setByMs;
  const memory = memoryTopics(topics, onEncode);
  const table = memoryTable();
  const sent: Sent[] = [];
  const results: WebhookResult[] = [];
  const verdicts: JobVerdict[] = [];
  const diverted: string[] = [];
  const post = async (request: PostOptions) => {
    sent.push({ atMs: clock.nowMs, url: request.url, headers: request.headers });
    return respond(request, clock.nowMs);
  };
  const lanes = new Lanes({ maxInFlight: 10, maxHeld: 1_000, retryDelaysMs: RETRY_DELAYS_MS });
  const gates = new Gates({ lanes: guardedLanes(lanes, divert), wantTick: () => undefined });
  const options: DeliverOptions = {
    retries: {
      schedule: createRetrySchedule({ delaysMs: RETRY_DELAYS_MS, windowMs: WINDOW_MS }),
      delaysMs: RETRY_DELAYS_MS,
    },
    destinations: createDestinations(table, secretBox, nowMs),
    attempt: createAttempts({
      egress: { post },
      lanes: gates,
      responseDeadlineMs: 5_000,
      userAgent: "Hookline/1.0",
      nowMs,
      elapsedMs,
      observers: [{ requested: (_job, result) => results.push(result) }],
    }),
    records: createRecords({ topics, serde: memory, nowMs }),
    recentJobs: new RecentJobs(),
    telemetry: { ended: (_job, verdict) => verdicts.push(verdict), failed: () => undefined },
    attemptLog: { diverted: ({ jobId }) => diverted.push(jobId) },
    nowMs,
  };
  const { hold, run, step } = stepping(options, {
    ...memory,
    clock,
    latenessMs,
    topic: topics.deliveryJobs.name,
  });
  const { deadLetters, pending, written } = memory;
  const { configs, unread } = table;
  return {
    clock,
    configs,
    deadLetters,
    diverted,
    gates,
    hold,
    lanes,
    pending,
    results,
    run,
    sent,
    step,
    unread,
    verdicts,
    written,
  };
}

interface Stepping {
  readonly pending: DeliveryJob[];
  keep(record: OutgoingRecord): void;
  readonly clock: { nowMs: number };
  readonly latenessMs: number;
  readonly topic: string;
}

function stepping(options: DeliverOptions, { clock, keep, latenessMs, pending, topic }: Stepping) {
  const deliver = createDeliver(options);
  let offset = 0;

  /** Whether the partition is this process's; and the jobs that were given back. */
  const hold: { isOurs: boolean; readonly givenBack: string[] } = { isOurs: true, givenBack: [] };

  /** Steps one record; resolves when it is settled and durable, which `acknowledged` can put off, or given back. */
  function step(decoded: DeliveryJob, acknowledged: Promise<void> = Promise.resolve()): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    offset += 1;
    const raw = { topic, partition: 0, offset, key: deliveryKey(decoded), value: Buffer.alloc(0) };
    const settle: Settle = ({ produce, onDurable }) => {
      for (const record of produce) keep(record);
      void acknowledged.then(onDurable).then(resolve);
    };
    const claim: Claim = {
      get isOurs() {
        return hold.isOurs;
      },
      giveBack() {
        hold.givenBack.push(decoded.jobId);
        resolve();
      },
    };
    deliver({ ...raw, timestampMs: clock.nowMs, decoded }, settle, claim);
    return promise;
  }

  /** Takes the waiting jobs out of their topics as they become visible, until none is left or `untilMs`. */
  async function run(untilMs: number = Number.POSITIVE_INFINITY): Promise<void> {
    for (;;) {
      pending.sort((a, b) => a.visibleAtMs - b.visibleAtMs);
      const [next] = pending;
      if (next === undefined || next.visibleAtMs > untilMs) return;
      pending.shift();
      clock.nowMs = Math.max(clock.nowMs, next.visibleAtMs + latenessMs);
      await step(next);
    }
  }

  return { hold, run, step };
}
