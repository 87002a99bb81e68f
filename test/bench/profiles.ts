// The audience processor without Kafka: what a call costs each step, first syncs, restore, bytes of a profile. A profile of the CPU shows its parts:
// `node --cpu-prof test/bench/main.ts audiences --profiles`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalBench } from "./bench.ts";
import { cpuSeconds } from "./cpu.ts";
import { callOf, configOf, definitionsOf } from "./processor-wire.ts";
import { bytesIn, ProfileStage } from "./profile-stage.ts";
import type { Report } from "./report.ts";

/** Of one fetch. */
const BATCH = 2_000;
const NAMES = 2;
const SIZES = [10, 500, 5_000] as const;

interface Flags {
  readonly users: number;
  readonly calls: number;
  readonly audiences: number;
}

function configsOf(size: number) {
  const configs: ReturnType<typeof configOf>[] = [];
  for (let name = 0; configs.length < size; name += 1)
    for (const definition of definitionsOf(`Event ${name}`))
      configs.push(configOf(`aud_${configs.length}`, definition));
  return configs.slice(0, size);
}

/** CPU time, microseconds a call. */
async function cpuOf(count: number, work: () => Promise<void>): Promise<number> {
  const before = cpuSeconds();
  await work();
  return ((cpuSeconds() - before) * 1e6) / count;
}

function valuesOf(stage: ProfileStage, { calls, users }: Flags): Buffer[] {
  return Array.from({ length: calls }, (_, index) =>
    stage.encode(callOf(`user-${index % users}`, `Event ${Math.floor(index / users) % NAMES}`)),
  );
}

/** The floor: the same calls decoded and counted in a map. */
async function bareLoop(stage: ProfileStage, values: readonly Buffer[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const value of values) {
    const call = await stage.decode(value);
    const key = `${call.userId} ${call.event}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
}

interface Costs {
  readonly bare: number;
  readonly keying: number;
  readonly folding: number;
  /** Of calls that come after all others, when nobody enters or leaves any more. */
  readonly steady: number;
}

/** The second half of the calls is measured; then as many more that change no membership. */
async function costsOf(stage: ProfileStage, flags: Flags): Promise<Costs> {
  const values = valuesOf(stage, flags);
  const half = Math.floor(values.length / 2);
  const [first, second] = [values.slice(0, half), values.slice(half)];
  const fold = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += BATCH) await stage.fold(at, Math.min(to, at + BATCH));
  };
  await bareLoop(stage, first);
  const bare = await cpuOf(second.length, () => bareLoop(stage, second));
  await stage.key(first);
  const keying = await cpuOf(second.length, () => stage.key(second));
  await fold(0, half);
  const folding = await cpuOf(second.length, () => fold(half, values.length));
  await stage.key(valuesOf(stage, { ...flags, calls: half }));
  const steady = await cpuOf(half, () => fold(values.length, values.length + half));
  return { bare, keying, folding, steady };
}

async function sayFirstSyncs(stage: ProfileStage, report: Report): Promise<void> {
  const profiles = stage.store.count;
  for (const [what, definition] of [
    ["no member", { event: "Event 0", count: { op: "gte", value: 1_000_000 } }],
    ["all members", { event: "Event 0", count: { op: "gte", value: 1 } }],
  ] as const) {
    const startedAtMs = performance.now();
    await stage.sync(configOf(what, definition));
    const seconds = (performance.now() - startedAtMs) / 1000;
    report.figure(`first sync, ${what}: a million profiles at this speed`, (seconds / profiles) * 1e6, {
      unit: "s",
      asked: "≤ 60",
    });
  }
}

async function sayRestore(stage: ProfileStage, report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const startedAtMs = performance.now();
  const store = await stage.restore(folder);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const records = stage.changelog.records.length;
  report.figure(`restore of ${store.count} profiles from ${records} records`, records / seconds, {
    unit: "records/s",
    asked: "≥ 10,000",
  });
  report.figure("a profile on disk, restored", bytesIn(folder) / store.count, { unit: "bytes" });
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}

function sayBytes(stage: ProfileStage, report: Report): void {
  const newest = new Map(stage.changelog.records.map(({ key, value }) => [key, value?.length ?? 0]));
  const bytes = [...newest.values()].reduce((sum, size) => sum + size, 0) / newest.size;
  report.figure("a profile as its record", bytes, { unit: "bytes" });
  report.figure("a profile on disk, written call by call", bytesIn(stage.folder) / stage.store.count, {
    unit: "bytes",
  });
}

async function withStage<R>(audiences: number, work: (stage: ProfileStage) => Promise<R>): Promise<R> {
  const stage = await ProfileStage.open(configsOf(audiences));
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}

export const profiles: LocalBench<keyof Flags> = {
  name: "profiles",
  summary: "The audience processor without Kafka: cost a call of each step, first syncs, restore, bytes.",
  flags: {
    users: { default: 10_000, doc: "profiles" },
    calls: { default: 100_000, doc: "calls, of which the second half is measured" },
    audiences: { default: 500, doc: "audiences, of which a call touches five" },
  },
  async runAlone({ flags, report }) {
    await withStage(flags.audiences, async (stage) => {
      const { bare, folding, keying, steady } = await costsOf(stage, flags);
      report.figure("bare loop: decode, count in a map, CPU a call", bare, { unit: "µs" });
      report.figure("first step, without Kafka: CPU a call", keying, { unit: "µs" });
      report.figure("second step, without Kafka: CPU a call", folding, { unit: "µs" });
      report.figure("both, against the bare loop", (keying + folding) / bare, { unit: "x" });
      report.figure("second step, of a call that changes no membership", steady, { unit: "µs" });
      sayBytes(stage, report);
      await sayFirstSyncs(stage, report);
      await sayRestore(stage, report);
    });
    const costs: number[] = [];
    for (const size of SIZES) {
      const { folding } = await withStage(size, (stage) => costsOf(stage, flags));
      costs.push(folding);
      report.figure(`second step with ${size} audiences, against ${SIZES[0]}`, folding / (costs[0] ?? 1), {
        unit: "x",
        asked: "0.8 to 1.2",
      });
    }
  },
};
