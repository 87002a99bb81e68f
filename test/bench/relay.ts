// The bare relay in the product's place: one process that reads, parses, answers and hands on, and keeps nothing.
import type { BenchContext } from "./bench.ts";
import { outsideMicros } from "./costs.ts";
import { measureCpu, startProgram } from "./process.ts";
import { sayLatency } from "./report.ts";
import { type Endpoints, seconds, startLoad } from "./rig.ts";

interface RelayRun {
  readonly name: string;
  /** 0 keeps `inFlight` requests under way instead. */
  readonly callsPerSecond: number;
  readonly inFlight?: number;
}

/** Between the same generator and the same endpoints; gives its CPU time a call in microseconds. */
export async function bareRelay(
  { report, flags }: BenchContext<"seconds" | "warm-up">,
  endpoints: Endpoints,
  { name, ...options }: RelayRun,
): Promise<number> {
  const origins = endpoints.sink.ports.map((port) => `http://127.0.0.1:${port}`);
  const relay = await startProgram("bare-relay", origins);
  const load = await startLoad(`http://127.0.0.1:${relay.ports[0]}`, {
    writeKeys: endpoints.writeKeys,
    ...options,
  });
  await seconds(flags["warm-up"] / 2);
  const before = await Promise.all([load.sample(), endpoints.sink.sample(), endpoints.latency()]);
  const cost = await measureCpu({ sample: relay.sample, warmUp: 0, seconds: flags.seconds });
  const [generator, sink, latency] = await Promise.all([
    load.sample(),
    endpoints.sink.sample(),
    endpoints.latency(),
  ]);
  await load.stop();
  await relay.stop();
  const title = `bare relay, ${name}`;
  report.figure(`${title}: calls/s`, cost.perSecond, { unit: "calls/s" });
  report.figure(`${title}: CPU a call`, cost.cpuMicros, { unit: "us" });
  report.figure(`${title}: CPU a call, generator`, outsideMicros(before[0], generator), { unit: "us" });
  report.figure(`${title}: CPU a call, endpoints`, outsideMicros(before[1], sink), { unit: "us" });
  sayLatency(report, `${title}: sent to received`, latency);
  return cost.cpuMicros;
}
