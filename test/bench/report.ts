// What a benchmark says: lines for people while it runs, one JSON document at its end for programs.
import { cpus, loadavg, totalmem } from "node:os";

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the issue or the design asks for, e.g. "≤ 1.25". */
  readonly asked?: string;
}

/** What the figures depend on beside the code. */
export interface Conditions {
  readonly date: string;
  readonly node: string;
  readonly cpus: string;
  readonly memoryGiB: number;
  /** Processes that wanted to run, over the last minute: on a machine of n cores much more than n before the start means bad figures. */
  readonly loadAverage: number;
  readonly kafka: string;
}

/** Of a table. */
export interface Column {
  readonly name: string;
  readonly unit: string;
}

/** As many numbers as there are columns; NaN is an empty cell. */
export type Row = readonly number[];

export interface Report {
  readonly say: (line: string) => void;
  readonly figure: (name: string, value: number, more: { unit: string; asked?: string }) => void;
  /** A figure for each cell, "<title>: <column>, <row>". */
  readonly table: (title: string, columns: readonly Column[], rows: ReadonlyMap<string, Row>) => void;
  readonly json: () => string;
}

const FIRST_COLUMN = 46;
const cell = (text: string): string => ` ${text.padStart(13)}`;

function rounded(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return value >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}

export function conditionsNow(kafka: string): Conditions {
  const [first] = cpus();
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpus: `${cpus().length} x ${first?.model ?? "unknown"}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadAverage: loadavg()[0] ?? 0,
    kafka,
  };
}

export function createReport(bench: string, conditions: Conditions, say: (line: string) => void): Report {
  const figures: Figure[] = [];
  const { cpus: machine, memoryGiB, node, loadAverage, kafka } = conditions;
  say(
    `${bench}: ${machine}, ${memoryGiB} GiB, Node ${node}, Kafka ${kafka}, load average ${loadAverage.toFixed(1)}`,
  );
  return {
    say,
    figure(name, value, more) {
      figures.push({ name, value, ...more });
      const asked = more.asked === undefined ? "" : `   asked: ${more.asked}`;
      say(`  ${name.padEnd(62)} ${rounded(value).padStart(9)} ${more.unit}${asked}`);
    },
    table(title, columns, rows) {
      say(
        `  ${title.padEnd(FIRST_COLUMN)}${columns.map(({ name, unit }) => cell(`${name} ${unit}`.trim())).join("")}`,
      );
      for (const [row, values] of rows) {
        say(`    ${row.padEnd(FIRST_COLUMN - 2)}${values.map((value) => cell(rounded(value))).join("")}`);
        for (const [at, { name, unit }] of columns.entries())
          figures.push({ name: `${title}: ${name}, ${row}`, value: values[at] ?? Number.NaN, unit });
      }
    },
    json: () => JSON.stringify({ bench, conditions, figures }, undefined, 2),
  };
}

/** Times measured, all of them kept, in milliseconds (go/latency). */
export interface Latency {
  readonly count: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/** Says the median and the time that one call of a hundred takes longer than. */
export function sayLatency(
  report: Report,
  name: string,
  { p50Ms, p99Ms }: Latency,
  [askedOfP50, askedOfP99]: readonly string[] = [],
): void {
  const more = (asked?: string) => (asked === undefined ? { unit: "ms" } : { unit: "ms", asked });
  report.figure(`${name}, p50`, p50Ms, more(askedOfP50));
  report.figure(`${name}, p99`, p99Ms, more(askedOfP99));
}

/** `share` from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
