import type { Stack } from "#stack";
import type { Report } from "./report.ts";

/** A number that can be given on the command line as --name. */
interface Flag {
  readonly default: number;
  readonly doc: string;
}

export interface BenchContext<F extends string = string> {
  readonly stack: Stack;
  readonly report: Report;
  readonly flags: Readonly<Record<F, number>>;
}

/** One benchmark, `npm run bench:<name>`. */
export interface Bench<F extends string = string> {
  readonly name: string;
  readonly summary: string;
  readonly flags: Readonly<Record<F, Flag>>;
  run(context: BenchContext<F>): Promise<void>;
}
