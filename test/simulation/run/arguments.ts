import { parseArgs } from "node:util";
import { wholeNumber } from "#support/whole-number";
import { FEATURE_NAMES, type Feature } from "../plan/draw-more.ts";
import type { SizeName } from "../plan/size.ts";
import { WORLDS, type Worlds } from "../plan/worlds.ts";

export interface SimulationArguments {
  readonly seeds: number;
  readonly firstSeed: number;
  readonly worlds: Worlds;
  /** Seeds whose worlds lack it are passed over; undefined: none. */
  readonly having: Feature | undefined;
  /** Parts of the plan that are left out, by id. */
  readonly without: readonly string[];
  readonly isShrinking: boolean;
  /** Of all worlds; undefined: as each seed decides. */
  readonly size: SizeName | undefined;
  readonly workers: number;
  /** Of the trace of a failing seed. */
  readonly lines: number;
  /** Reports as JSON, one a line: between a run and its workers. */
  readonly isJson: boolean;
}

export const HELP = `Runs the product's own routers and deliverers in simulated worlds, each decided by its seed, and looks in each whether a law was
broken (docs/develop/simulation.md). Ends with 1 when one was.

  npm run simulate -- [--seeds 1000] [--seed 1] [--worlds audiences] [--having wishes] [--without f1,e1.2] [--size large] [--shrink]
                          [--workers 1] [--lines 60] [--json]

  --seeds    how many worlds
  --seed     the first one's seed, a whole number; the others follow on it
  --worlds   deliveries, unless told otherwise, or audiences: those of the audience processor; in steady_audiences nothing is edited,
             imported or deleted, in steady_deliveries nobody uses the control API but for replays of dead letters; members: audiences,
             destinations that are connected to them later, and what control does about that; accounts: audiences, some of them of accounts
  --having   passes over worlds of deliveries that lack it: ${FEATURE_NAMES.join(", ")}
  --without  ids of faults, bad times of endpoints, changes, audiences, imports and deletions that are left out
  --size     of deliveries, small or large for all of them, instead of as each seed decides
  --shrink   of a failing seed, look for what can be left out
  --workers  processes that share the seeds
  --lines    how much of a failing seed's trace is printed
  --json     findings and progress as JSON, one a line
  --help     this text`;

const OPTIONS = {
  seeds: { type: "string", default: "1000" },
  seed: { type: "string", default: "1" },
  worlds: { type: "string", default: "deliveries" },
  having: { type: "string" },
  without: { type: "string", default: "" },
  size: { type: "string" },
  shrink: { type: "boolean", default: false },
  workers: { type: "string", default: "1" },
  lines: { type: "string", default: "60" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

function sizeName(text: string | undefined): SizeName | undefined {
  if (text === undefined || text === "small" || text === "large") return text;
  throw new RangeError(`--size is neither small nor large (it is "${text}")`);
}

function worldsNamed(text: string): Worlds {
  const found = WORLDS.find((each) => each === text);
  if (found !== undefined) return found;
  throw new RangeError(`--worlds is neither ${WORLDS.join(" nor ")} (it is "${text}")`);
}

function featureNamed(text: string | undefined): Feature | undefined {
  const found = FEATURE_NAMES.find((each) => each === text);
  if (text === undefined || found !== undefined) return found;
  throw new RangeError(`--having is none of ${FEATURE_NAMES.join(", ")} (it is "${text}")`);
}

/** "help" when that is what was asked for. Throws an error with one clear message. */
export function readArguments(args: readonly string[]): SimulationArguments | "help" {
  const { values } = parseArgs({ args: [...args], options: OPTIONS, strict: true });
  if (values.help) return "help";
  return {
    seeds: wholeNumber("seeds", values.seeds, { min: 1, max: 10_000_000 }),
    firstSeed: wholeNumber("seed", values.seed, { min: 0, max: 2 ** 31 - 1 }),
    worlds: worldsNamed(values.worlds),
    having: featureNamed(values.having),
    without: values.without.split(",").filter((id) => id !== ""),
    isShrinking: values.shrink,
    size: sizeName(values.size),
    workers: wholeNumber("workers", values.workers, { min: 1, max: 64 }),
    lines: wholeNumber("lines", values.lines, { min: 0, max: 4_000 }),
    isJson: values.json,
  };
}
