// What a call costs each process between two moments.
import type { Sample } from "./process.ts";
import type { Report } from "./report.ts";
import type { Endpoints, Load, Rig } from "./rig.ts";
import type { Usage } from "./usage.ts";

interface Moment {
  readonly atMs: number;
  readonly received: number;
  readonly usage: ReadonlyMap<string, Usage>;
  /** The generator and the endpoints: none of the product. */
  readonly outside: ReadonlyMap<string, Sample>;
}

export interface Measured {
  readonly rig: Rig;
  readonly load: Load;
  readonly endpoints: Endpoints;
}

export async function momentOf({ rig, load, endpoints }: Measured): Promise<Moment> {
  const usage = await rig.usage();
  const [generator, sink] = await Promise.all([load.sample(), endpoints.sink.sample()]);
  return {
    atMs: performance.now(),
    received: sink.count,
    usage,
    outside: new Map<string, Sample>([
      ["generator", generator],
      ["endpoints", sink],
    ]),
  };
}

/** Of what `sample` counts, in microseconds. */
export function outsideMicros(from: Sample | undefined, to: Sample): number {
  const { count = 0, cpuSeconds = 0 } = from ?? {};
  return ((to.cpuSeconds - cpuSeconds) * 1e6) / (to.count - count);
}

interface Costs {
  /** Calls that were received. */
  readonly callsPerSecond: number;
  /** CPU time a call by process: the product's and the broker. */
  readonly cpuMicros: ReadonlyMap<string, number>;
}

export function costsBetween(from: Moment, to: Moment): Costs {
  const calls = to.received - from.received;
  const cpuMicros = [...to.usage].map(([process, { cpuSeconds }]) => {
    const before = from.usage.get(process)?.cpuSeconds ?? 0;
    return [process, ((cpuSeconds - before) * 1e6) / calls] as const;
  });
  return { callsPerSecond: (calls * 1000) / (to.atMs - from.atMs), cpuMicros: new Map(cpuMicros) };
}

/** Says the calls/s and the CPU time a call by process between two moments; gives that of the product and the broker, in microseconds. */
export function sayCosts(report: Report, name: string, from: Moment, to: Moment): number {
  const { callsPerSecond, cpuMicros } = costsBetween(from, to);
  report.figure(`${name}: calls/s`, callsPerSecond, { unit: "calls/s" });
  let total = 0;
  for (const [process, micros] of cpuMicros) {
    total += micros;
    report.figure(`${name}: CPU a call, ${process}`, micros, { unit: "us" });
  }
  if (!to.usage.has("broker"))
    report.say("  the broker is not a process of this machine: its share is missing");
  report.figure(`${name}: CPU a call, all of them`, total, { unit: "us", asked: "≤ 150" });
  for (const [process, sample] of to.outside) {
    const micros = outsideMicros(from.outside.get(process), sample);
    report.figure(`${name}: CPU a call, ${process} (not counted above)`, micros, { unit: "us" });
  }
  return total;
}
