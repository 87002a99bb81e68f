import { parseArgs } from "node:util";
import type { BenchDescription, Flag } from "./bench.ts";

export interface BenchArguments {
  readonly isJson: boolean;
  readonly flags: Readonly<Record<string, number>>;
}

/** `usage` is what comes before its options. */
export function helpOf(usage: string, { summary, flags }: BenchDescription): string {
  const lines = Object.entries(flags).map(
    ([flag, { default: value, doc }]) =>
      `  --${`${flag} N`.padEnd(22)} ${doc}${Number.isNaN(value) ? "" : ` (${value})`}`,
  );
  return [
    `npm run bench -- ${usage} [options]`,
    "",
    summary,
    "",
    ...lines,
    `  --${"json".padEnd(22)} the figures as one JSON document on standard output, lines for people on standard error`,
    "",
    "Kafka and the registry are those that the environment names, or are started for the run.",
  ].join("\n");
}

/** Throws a TypeError for an unknown option or what is no positive number. */
export function readArguments(bench: BenchDescription, args: readonly string[]): BenchArguments | "help" {
  const options: Record<string, { type: "string" | "boolean" }> = {
    help: { type: "boolean" },
    json: { type: "boolean" },
  };
  for (const flag of Object.keys(bench.flags)) options[flag] = { type: "string" };
  const { values } = parseArgs({ args: [...args], options, allowPositionals: false });
  if (values["help"] === true) return "help";
  const flags = Object.fromEntries(
    Object.entries(bench.flags).map(([flag, taken]) => [flag, numberOf(flag, values[flag], taken)]),
  );
  return { isJson: values["json"] === true, flags };
}

function numberOf(name: string, given: unknown, { default: otherwise, isZeroTaken }: Flag): number {
  if (given === undefined) return otherwise;
  const value = Number(given);
  if (isZeroTaken === true && value === 0) return value;
  if (!(value > 0))
    throw new TypeError(`--${name} takes a positive number${isZeroTaken === true ? ", or 0" : ""}`);
  return value;
}
