import { parseArgs } from "node:util";
import { wholeNumber } from "#support/whole-number";

export interface ChaosArguments {
  readonly calls: number;
  readonly seed: number;
  readonly callsPerSecond: number;
  readonly isJson: boolean;
}

export const HELP = `Sends calls through the whole product, on three brokers of its own, while a schedule kills, stops, freezes, scales and
cuts off what carries them; then accounts for every acknowledged call. Ends with 1 when one is lost or altered.

  npm run chaos -- [--calls 100000] [--seed 1] [--rate 200] [--json]

  --calls  calls to be acknowledged, at least; the schedule lasts about as long as they do, and one round at least
  --seed   a whole number; the same seed gives the same schedule
  --rate   calls per second
  --json   the report as JSON on standard output; everything else goes to standard error
  --help   this text`;

const OPTIONS = {
  calls: { type: "string", default: "100000" },
  seed: { type: "string", default: "1" },
  rate: { type: "string", default: "200" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** "help" when that is what was asked for. Throws an error with one clear message. */
export function readArguments(args: readonly string[]): ChaosArguments | "help" {
  const { values } = parseArgs({ args: [...args], options: OPTIONS, strict: true });
  if (values.help) return "help";
  return {
    calls: wholeNumber("calls", values.calls, { min: 1, max: 10_000_000 }),
    seed: wholeNumber("seed", values.seed, { min: 0, max: 2 ** 31 - 1 }),
    callsPerSecond: wholeNumber("rate", values.rate, { min: 1, max: 10_000 }),
    isJson: values.json,
  };
}
