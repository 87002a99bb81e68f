// The pure core of audiences: calls folded per second of CPU time, with many audiences of which a call touches five.
import {
  applyEvent,
  type ComputationInput,
  type ComputationSet,
  compileSet,
  createProfile,
  type Profile,
  parseAudience,
  profileToRecord,
} from "#audiences";
import type { LocalBench } from "./bench.ts";
import { cpuSeconds } from "./cpu.ts";

const SIZES = [10, 500, 5_000] as const;
const TOUCHED = 5;
const START_MS = 1_700_000_000_000;
const CALL_EVERY_MS = 20;

/** Five audiences that a call of this name touches: short and long windows, conditions, traits, another event. */
export function definitionsOf(event: string): unknown[] {
  const where = [{ path: "properties.total", op: "gte", value: 50 }];
  return [
    { event, within: "30d" },
    { event, where, within: "7d", count: { op: "gte", value: 3 } },
    {
      all: [
        { event, within: "1d" },
        { trait: "plan", op: "in", value: ["pro", "team"] },
      ],
    },
    { all: [{ event, within: "90d", count: { op: "gte", value: 2 } }, { not: { event: "Cancelled" } }] },
    {
      any: [
        { event, count: { op: "gte", value: 100 } },
        { event, where, between: ["1d", "30d"] },
      ],
    },
  ];
}

/** `size` audiences; each event name is in five of them, and calls come of the first two names only. */
function audiencesOf(size: number): ComputationSet {
  const inputs: ComputationInput[] = [];
  for (let name = 0; inputs.length < size; name += 1) {
    for (const definition of definitionsOf(`Event ${name}`)) {
      const reading = parseAudience(definition, { audiences: new Map() });
      if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
      const id = `aud_${inputs.length}`;
      const base = { generation: 1, state: "live", includeAnonymous: false } as const;
      inputs.push({ ...base, id, key: id, definition: reading.definition });
    }
  }
  return compileSet(inputs);
}

/** Delivered bodies, as they stand in the records of `calls`. */
function bodiesOf(users: number): Buffer[] {
  return Array.from({ length: 2 * users }, (_, index) => {
    const properties = {
      total: index % 97,
      currency: "EUR",
      products: [{ sku: `s${index % 9}`, quantity: 1 }],
    };
    const body = {
      version: 1,
      type: "track",
      userId: `user-${index % users}`,
      event: `Event ${index % 2}`,
      properties,
    };
    return Buffer.from(JSON.stringify({ ...body, context: { library: { name: "bench", version: "1" } } }));
  });
}

interface Body {
  readonly userId: string;
  readonly event: string;
}

/** CPU seconds of a loop that parses each call and counts it in a map. */
function bareLoop(bodies: readonly Buffer[], calls: number): number {
  const counts = new Map<string, number>();
  const before = cpuSeconds();
  for (let index = 0; index < calls; index += 1) {
    const body = JSON.parse(String(bodies[index % bodies.length])) as Body;
    const key = `${body.userId} ${body.event}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return cpuSeconds() - before;
}

class Fold {
  readonly profiles = new Map<string, Profile>();
  readonly #set: ComputationSet;
  readonly #bodies: readonly Buffer[];
  #offset = 0;
  flips = 0;

  constructor(size: number, bodies: readonly Buffer[]) {
    this.#set = audiencesOf(size);
    this.#bodies = bodies;
  }

  #one(): void {
    const body = JSON.parse(String(this.#bodies[this.#offset % this.#bodies.length])) as Body;
    this.#offset += 1;
    const nowMs = START_MS + this.#offset * CALL_EVERY_MS;
    const profile = this.profiles.get(body.userId) ?? createProfile(body.userId, this.#offset);
    this.profiles.set(body.userId, profile);
    const call = {
      type: "track",
      name: body.event,
      sourceId: "src_bench",
      messageId: `018c2f6e-1111-7000-8000-${this.#offset}`,
      userId: body.userId,
      anonymousId: null,
      timestampMs: nowMs,
      receivedAtMs: nowMs,
      body: { ...body },
    };
    applyEvent(profile, { kind: "call", call }, this.#set, { offset: this.#offset, nowMs });
    if (profile.outbox.length === 0) return;
    this.flips += profile.outbox.length;
    profile.outbox = [];
  }

  /** CPU seconds of so many calls. */
  run(calls: number): number {
    const before = cpuSeconds();
    for (let index = 0; index < calls; index += 1) this.#one();
    return cpuSeconds() - before;
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** CPU time of writing each profile's record down once, without Avro. */
function recordMicros({ profiles }: Fold): number {
  const before = cpuSeconds();
  for (const profile of profiles.values()) profileToRecord(profile);
  return ((cpuSeconds() - before) / profiles.size) * 1e6;
}

export const audiences: LocalBench<"calls" | "users" | "rounds"> = {
  name: "audiences",
  summary: "The core of audiences: calls/s with 10, 500 and 5,000 audiences of which a call touches five.",
  flags: {
    calls: { default: 100_000, doc: "calls a round" },
    users: { default: 10_000, doc: "profiles" },
    rounds: { default: 5, doc: "rounds, of which the median counts; the sizes take turns" },
  },
  runAlone({ flags, report }) {
    const { calls, rounds } = flags;
    const bodies = bodiesOf(flags.users);
    const folds = SIZES.map((size) => new Fold(size, bodies));
    const micros = (seconds: number): number => (seconds / calls) * 1e6;
    const bare: number[] = [];
    const costs = SIZES.map((): number[] => []);
    for (const fold of folds) fold.run(calls);
    for (let round = 0; round < rounds; round += 1) {
      bare.push(micros(bareLoop(bodies, calls)));
      for (const [index, fold] of folds.entries()) costs[index]?.push(micros(fold.run(calls)));
    }
    const bareCost = median(bare);
    report.figure("bare loop: parse, count in a map, CPU a call", bareCost, { unit: "µs" });
    const [first = Number.NaN] = costs.map(median);
    for (const [index, size] of SIZES.entries()) {
      const cost = median(costs[index] ?? []);
      const name = `${size} audiences, ${TOUCHED} touched`;
      report.figure(`${name}: CPU a call`, cost, { unit: "µs" });
      report.figure(`${name}: calls per second of CPU time`, 1e6 / cost, {
        unit: "calls/s",
        asked: "≥ 20,000",
      });
      report.figure(`${name}: against the bare loop`, cost / bareCost, { unit: "x" });
      report.figure(`${name}: against ${SIZES[0]}`, cost / first, { unit: "x", asked: "0.8 to 1.2" });
    }
    const sized = [...(folds[0]?.profiles.values() ?? [])];
    const bytes = sized.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / sized.length;
    report.figure("state of a profile as counted, without recent calls", bytes, { unit: "bytes" });
    for (const fold of folds.slice(0, 1))
      report.figure("a profile as its record, before Avro, CPU", recordMicros(fold), { unit: "µs" });
    return Promise.resolve();
  },
};
