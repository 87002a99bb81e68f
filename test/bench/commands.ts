// The commands of `npm run bench`: which measurement an option of which command stands for.
import { clients } from "../clients/bench.ts";
import type { Bench, LocalBench } from "./bench.ts";
import { delivery } from "./delivery.ts";
import { imports } from "./imports.ts";
import { indexRows } from "./index-rows.ts";
import { ingest } from "./ingest.ts";
import { isolation } from "./isolation.ts";
import { longestTurn } from "./longest-turn.ts";
import { pipeline } from "./pipeline.ts";
import { processor } from "./processor.ts";
import { profiles } from "./profiles.ts";
import { recovery } from "./recovery.ts";
import { scale } from "./scale.ts";
import { several } from "./several.ts";
import { starts } from "./starts.ts";

export type Measurement = Bench | LocalBench;

interface Command {
  /** Measured without an option; undefined where one has to be named. */
  readonly itself: Measurement | undefined;
  /** Each is measured instead, by the option of its name. */
  readonly instead: readonly Measurement[];
}

const COMMANDS: Readonly<Record<string, Command>> = {
  pipeline: { itself: pipeline, instead: [isolation, recovery] },
  parts: { itself: undefined, instead: [ingest, delivery, indexRows, longestTurn, clients] },
  audiences: { itself: undefined, instead: [processor, profiles, imports] },
  scale: { itself: scale, instead: [several, starts] },
};

/** One measurement as it was asked for. */
export interface Choice {
  /** For people: "parts --ingest". */
  readonly usage: string;
  readonly bench: Measurement;
  /** What follows: its own options. */
  readonly args: readonly string[];
}

function choicesOf(name: string, { itself, instead }: Command): Omit<Choice, "args">[] {
  const others = instead.map((bench) => ({ usage: `${name} --${bench.name}`, bench }));
  return itself === undefined ? others : [{ usage: name, bench: itself }, ...others];
}

function helpOf(choices: readonly Omit<Choice, "args">[], title: string): string {
  const lines = choices.map(({ usage, bench }) => `  ${usage.padEnd(24)} ${bench.summary}`);
  return [
    `npm run bench -- ${title} [options]`,
    "",
    ...lines,
    "",
    "Each of them followed by --help explains its options. Another version beside this one: npm run bench:versions -- --help",
  ].join("\n");
}

/** A text is the help that was asked for. Throws a TypeError for an unknown command, and where an option must say what is measured. */
export function choiceOf(argv: readonly string[]): Choice | string {
  const [name, ...given] = argv;
  const all = Object.entries(COMMANDS).flatMap(([known, command]) => choicesOf(known, command));
  if (name === undefined || name === "--help") return helpOf(all, "COMMAND");
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new TypeError(`${name} is no benchmark: name ${Object.keys(COMMANDS).join(", ")}`);
  const choices = choicesOf(name, command);
  const named = choices.filter(({ bench }) => bench !== command.itself && given.includes(`--${bench.name}`));
  if (named.length > 1)
    throw new TypeError(`one at a time: ${named.map(({ usage }) => usage).join(", or ")}`);
  const [choice = choices.find(({ bench }) => bench === command.itself)] = named;
  if (choice !== undefined)
    return {
      ...choice,
      args: given.filter((arg) => choice.bench === command.itself || arg !== `--${choice.bench.name}`),
    };
  if (given.includes("--help")) return helpOf(choices, name);
  throw new TypeError(`say which: ${choices.map(({ usage }) => usage).join(", ")}`);
}
