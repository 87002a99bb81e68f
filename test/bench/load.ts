// What sends calls (go/load).
import { sampleCall } from "./calls.ts";
import { type Program, type Sample, startGoProgram } from "./process.ts";
import type { Latency } from "./report.ts";

/** Requests under way, and connections, where nothing else is said. */
const IN_FLIGHT = 128;

export interface LoadOptions {
  /** Calls go to them in turn. */
  readonly writeKeys: readonly string[];
  /** 0 keeps `inFlight` requests under way instead. */
  readonly callsPerSecond: number;
  readonly batchSize?: number;
  readonly inFlight?: number;
}

/** What the generator has sent so far; `count` are the calls that were answered with 200. */
export interface Sent extends Sample {
  readonly refused: number;
  readonly requests: number;
  /** Requests without an answer yet. */
  readonly underWay: number;
}

/** A generator that runs. */
export type Load = Program<Sent>;

/** What a generator has seen since it was last asked. */
export interface Answers {
  /** Of answers with 200, from before the request to after the answer. */
  readonly answers: Latency;
  /** How late after its time a request began: of the generator's own doing. */
  readonly starts: Latency;
  /** Calls answered in each whole second. */
  readonly perSecond: readonly number[];
}

/** As much as the pipeline takes: with 64 requests under way it would wait for Kafka's answers half of the time. */
export const FULL_LOAD = { callsPerSecond: 0, inFlight: IN_FLIGHT };

/** Its connections are spread over the origins; one that finds nobody goes on to the next. */
export function startLoad(origins: readonly string[], options: LoadOptions): Promise<Load> {
  const { writeKeys, callsPerSecond, batchSize = 1, inFlight = IN_FLIGHT } = options;
  const given = {
    origins,
    writeKeys,
    call: JSON.stringify(sampleCall()),
    batchSize,
    connections: inFlight,
    requestsPerSecond: callsPerSecond / batchSize,
  };
  return startGoProgram<Sent>("load", [JSON.stringify(given)]);
}
