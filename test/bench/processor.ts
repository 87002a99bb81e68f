// The audience processor on one partition: what a call costs it, first syncs, restore, and how soon what has changed is sent.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { metricsOf, sumOfMetric } from "#support/metrics";
import { type ServiceProcess, startService } from "#support/service";
import { until } from "#support/until";
import type { Bench, BenchContext } from "./bench.ts";
import { measureCpu, serviceSampler } from "./process.ts";
import {
  bareLoop,
  callOf,
  configure,
  definitionsOf,
  identifiesOf,
  LONG,
  openWire,
  sendAll,
  sendAtRate,
  untilLive,
  type Wire,
} from "./processor-wire.ts";
import { bytesIn } from "./profile-stage.ts";
import { percentile } from "./report.ts";

/** Of the calls; while they come the process compiles. */
const COLD = 0.3;
const FOLDED = "hookline_audience_folded_total";
const UNPACED = { HOOKLINE_AUDIENCE_SYNC_RATE: "1000000", HOOKLINE_AUDIENCE_BACKFILL_RATE: "1000000" };

type Flags = "users" | "calls" | "audiences" | "rate" | "seconds";
type Context = BenchContext<Flags>;

class ProcessorBench {
  readonly #context: Context;
  readonly #wire: Wire;
  readonly #folders: string[] = [];
  #process: ServiceProcess | undefined;

  constructor(context: Context, wire: Wire) {
    this.#context = context;
    this.#wire = wire;
  }

  #newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
    this.#folders.push(folder);
    return folder;
  }

  /** First syncs go as fast as they can with `UNPACED`, else at the product's own pace. */
  async #start(pace: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    this.#process = await startService({
      name: "audience-processor",
      settings: {
        ...this.#wire.settings,
        HOOKLINE_DATA_DIR: this.#newFolder(),
        ...pace,
      },
    });
    return this.#process;
  }

  async run(): Promise<void> {
    const { flags, report } = this.#context;
    const audiences = await this.#configureAll();
    await sendAll(this.#wire, flags.calls, (index) =>
      callOf(`user-${index % flags.users}`, `Event ${Math.floor(index / flags.users) % 2}`),
    );
    const bare = await bareLoop(this.#wire);
    report.figure("bare loop: read, decode, count in a map, CPU a call", bare, { unit: "µs" });
    const service = await this.#start(UNPACED);
    const sample = serviceSampler(service, FOLDED);
    const cost = await measureCpu({
      sample,
      warmUp: flags.calls * COLD,
      seconds: 300,
      until: flags.calls * 0.95,
    });
    report.figure(`${flags.audiences} audiences: CPU a call, both steps`, cost.cpuMicros, { unit: "µs" });
    report.figure("calls per second of CPU time", 1e6 / cost.cpuMicros, {
      unit: "calls/s",
      asked: "≥ 20,000",
    });
    report.figure("against the bare loop", cost.cpuMicros / bare, { unit: "x" });
    await until(async () => (await sample()).count >= flags.calls, { ...LONG, what: "all calls" });
    const foldedAtMs = performance.now();
    const seconds = ((await untilLive(this.#wire, audiences)) - foldedAtMs) / 1000;
    report.figure("first syncs of all audiences, which were made together: after the last call", seconds, {
      unit: "s",
    });
    await this.#firstSyncs(service);
    await this.#restore();
    await this.#latencies();
  }

  async #configureAll(): Promise<string[]> {
    const ids: string[] = [];
    for (let name = 0; ids.length < this.#context.flags.audiences; name += 1)
      for (const definition of definitionsOf(`Event ${name}`)) {
        const id = `aud_${ids.length}`;
        ids.push(id);
        await configure(this.#wire, id, definition);
      }
    return ids;
  }

  async #firstSyncs(service: ServiceProcess): Promise<void> {
    const { flags, report } = this.#context;
    const profiles = sumOfMetric(await metricsOf(service), "hookline_audience_profiles");
    for (const [id, what, definition] of [
      ["seen", "from state, no member", { event: "Event 0", count: { op: "gte", value: 1_000_000 } }],
      ["members", "from state, all members", { event: "Event 0", count: { op: "gte", value: 1 } }],
      [
        "past",
        "from the log, all members",
        { event: "Event 0", where: [{ path: "properties.currency", op: "eq", value: "EUR" }], within: "30d" },
      ],
    ] as const) {
      const startedAtMs = performance.now();
      await configure(this.#wire, id, definition);
      const seconds = ((await untilLive(this.#wire, [id])) - startedAtMs) / 1000;
      const asked = id === "seen" ? { asked: "≤ 60" } : {};
      report.figure(`first sync ${what}: a million profiles at this speed`, (seconds / profiles) * 1e6, {
        unit: "s",
        ...asked,
      });
      if (id === "past")
        report.figure("first sync from the log: events read again", flags.calls / seconds, {
          unit: "events/s",
        });
    }
    const [folder = ""] = this.#folders;
    report.figure("a profile on disk", bytesIn(folder) / profiles, { unit: "bytes" });
  }

  async #restore(): Promise<void> {
    const { flags, report } = this.#context;
    await this.#process?.stop();
    const [{ high } = { high: 0 }] = await this.#wire.kafka.admin().offsets(this.#wire.topics.profiles.name);
    const startedAtMs = performance.now();
    await this.#start();
    const seconds = (performance.now() - startedAtMs) / 1000;
    report.figure(
      `restore of ${flags.users} profiles (${high} records) on an empty disk, start included`,
      seconds,
      { unit: "s" },
    );
    report.figure("restore", high / seconds, { unit: "records/s" });
  }

  async #latencies(): Promise<void> {
    const { flags, report } = this.#context;
    await configure(this.#wire, "fresh", { event: "Fresh", within: "60s" });
    await untilLive(this.#wire, ["fresh"]);
    const load = async (name: string) => {
      const sentAtMs = new Map<string, number>();
      let users = 0;
      await sendAtRate(this.#wire, flags, () => {
        users += 1;
        const call = callOf(`${name}-${users}`, "Fresh");
        sentAtMs.set(`${name}-${users}`, call.receivedAtMs);
        return call;
      });
      return sentAtMs;
    };
    const alone = await load("alone");
    const syncing = this.#syncAgainAndAgain();
    const beside = await load("beside");
    await syncing.end();
    await pause(70_000);
    const sent = await identifiesOf(this.#wire, "fresh");
    const delays = (of: ReadonlyMap<string, number>, value: boolean, afterMs = 0) =>
      sent.flatMap((one) => {
        const fromMs = of.get(one.userId);
        return fromMs === undefined || one.value !== value ? [] : [one.atMs - fromMs - afterMs];
      });
    const [before, during] = [delays(alone, true), delays(beside, true)];
    const p99 = percentile(before, 0.99);
    report.figure(`call to identify at ${flags.rate}/s, p50`, percentile(before, 0.5), { unit: "ms" });
    report.figure(`call to identify at ${flags.rate}/s, p99`, p99, { unit: "ms", asked: "≤ 250" });
    report.figure("the same during first syncs, p99", percentile(during, 0.99), { unit: "ms" });
    report.figure("the same during first syncs, p99, against without", percentile(during, 0.99) / p99, {
      unit: "x",
      asked: "≤ 1.2",
    });
    const exits = delays(alone, false, 60_000);
    report.figure("end of the window to identify, p99", percentile(exits, 0.99), {
      unit: "ms",
      asked: "≤ 5,000",
    });
    report.figure("identifies missing", 2 * alone.size - before.length - exits.length, { unit: "" });
  }

  /** First syncs of all profiles, one after the other. */
  #syncAgainAndAgain(): { end(): Promise<void> } {
    let isOver = false;
    const all = (async () => {
      for (let round = 0; !isOver; round += 1) {
        await configure(this.#wire, `again_${round}`, {
          event: "Event 0",
          count: { op: "gte", value: round + 2 },
        });
        await untilLive(this.#wire, [`again_${round}`]);
      }
    })();
    return {
      async end() {
        isOver = true;
        await all;
      },
    };
  }

  async stop(): Promise<void> {
    await this.#process?.kill();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }
}

export const processor: Bench<Flags> = {
  name: "processor",
  summary: "The audience processor on Kafka, one partition: cost a call, first syncs, restore, latency.",
  flags: {
    users: { default: 20_000, doc: "profiles" },
    calls: {
      default: 200_000,
      doc: "calls that wait when the processor starts; the first third is not measured",
    },
    audiences: { default: 500, doc: "audiences, of which a call touches five" },
    rate: { default: 300, doc: "calls a second while latency is measured" },
    seconds: { default: 20, doc: "for which latency is measured, once alone and once during first syncs" },
  },
  async run(context) {
    const wire = await openWire(context.stack);
    const bench = new ProcessorBench(context, wire);
    try {
      await bench.run();
    } finally {
      await bench.stop();
      await wire.close();
    }
  },
};
