import type { Stack } from "#stack";
import type { Report } from "./report.ts";

/** A number that can be given on the command line as --name. */
export interface Flag {
  readonly default: number;
  readonly doc: string;
  /** Otherwise it is more than 0. */
  readonly isZeroTaken?: boolean;
}

export interface BenchContext<F extends string = string> {
  readonly stack: Stack;
  readonly report: Report;
  readonly flags: Readonly<Record<F, number>>;
}

/** What the command line needs to know of a benchmark. */
export interface BenchDescription<F extends string = string> {
  readonly name: string;
  readonly summary: string;
  readonly flags: Readonly<Record<F, Flag>>;
}

/** One that needs Kafka. commands.ts says by which option it is measured. */
export interface Bench<F extends string = string> extends BenchDescription<F> {
  /** How many it needs; one unless given. */
  readonly brokers?: 3;
  run(context: BenchContext<F>): Promise<void>;
}

/** One that needs no Kafka. */
export interface LocalBench<F extends string = string> extends BenchDescription<F> {
  runAlone(context: Omit<BenchContext<F>, "stack">): Promise<void>;
}
