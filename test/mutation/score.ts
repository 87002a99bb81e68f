// What a mutation run found, for people.
import { dirname } from "node:path";

/** As Stryker tells it. */
export interface Mutant {
  readonly fileName: string;
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string | undefined;
  readonly location: { readonly start: { readonly line: number; readonly column: number } };
}

const FOUND = ["Killed", "Timeout"];
const MISSED = ["Survived", "NoCoverage"];

interface Score {
  readonly found: number;
  readonly survived: number;
  readonly unreached: number;
}

function scoreOf(mutants: readonly Mutant[]): Score {
  const count = (...statuses: readonly string[]): number =>
    mutants.filter(({ status }) => statuses.includes(status)).length;
  return { found: count(...FOUND), survived: count("Survived"), unreached: count("NoCoverage") };
}

function row(name: string, mutants: readonly Mutant[]): string {
  const { found, survived, unreached } = scoreOf(mutants);
  const all = found + survived + unreached;
  const percent = all === 0 ? "-" : `${((100 * found) / all).toFixed(1)} %`;
  const cells = [percent, found, survived, unreached].map((cell) => String(cell).padStart(10));
  return `${name.padEnd(44)}${cells.join("")}`;
}

function grouped(mutants: readonly Mutant[], nameOf: (mutant: Mutant) => string): [string, Mutant[]][] {
  const groups = Map.groupBy(mutants, nameOf);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function missed({ fileName, location, mutatorName, status, replacement = "" }: Mutant): string {
  const text = replacement.replace(/\s+/g, " ").slice(0, 90);
  return `  ${fileName}:${location.start.line}:${location.start.column + 1} ${mutatorName}${status === "NoCoverage" ? " (no suite gets there)" : ""}: ${text}`;
}

/** How far the score of all faults may lie from that of a share of them, in 95 of 100 draws. */
function interval(mutants: readonly Mutant[], share: number): string {
  const { found, survived, unreached } = scoreOf(mutants);
  const drawn = found + survived + unreached;
  if (drawn === 0) return "nothing was drawn";
  const score = found / drawn;
  const points = 196 * Math.sqrt(((score * (1 - score)) / drawn) * (1 - share));
  return `± ${points.toFixed(1)} points: ${drawn} faults were drawn, ${100 * share} % of all`;
}

/** Every fault that was missed, then the score of each file and each folder; `share` where not all faults were tried. */
export function linesOf(mutants: readonly Mutant[], share?: number): string[] {
  const survivors = mutants.filter(({ status }) => MISSED.includes(status));
  const head = `${"".padEnd(44)}${["score", "found", "missed", "unreached"].map((title) => title.padStart(10)).join("")}`;
  return [
    "missed:",
    ...survivors.map(missed),
    "",
    head,
    ...grouped(mutants, ({ fileName }) => fileName).map(([name, group]) => row(name, group)),
    "",
    head,
    ...grouped(mutants, ({ fileName }) => dirname(fileName)).map(([name, group]) => row(name, group)),
    row("all", mutants),
    ...(share === undefined ? [] : [interval(mutants, share)]),
  ];
}
