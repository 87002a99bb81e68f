// The form of answers: JSON for programs, columns for people.
import { styleText } from "node:util";
import type { JsonObject } from "#contract";
import type { CommandContext } from "./context.ts";
import type { Listing } from "./control-api.ts";
import { printable } from "./terminal-text.ts";

const GAP = "  ";

/** Paths in an entry by column title: `health.state`. */
export type Columns = Readonly<Record<string, string>>;

type Style = "green" | "red" | "yellow" | "bold" | "dim";

export function coloured({ isColoured }: CommandContext, style: Style, text: string): string {
  return isColoured ? styleText(style, text, { validateStream: false }) : text;
}

export function printJson({ print }: CommandContext, value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** A table, its titles in capitals; names come from outside and must not steer the terminal. */
export function printTable(context: CommandContext, columns: Columns, listing: Listing): void {
  const { data } = listing;
  const rows = data.map((entry) => Object.values(columns).map((path) => textOf(valueAt(entry, path))));
  const titles = Object.keys(columns).map((title) => title.toUpperCase());
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lineOf = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
  context.print(coloured(context, "bold", lineOf(titles)));
  for (const row of rows) context.print(lineOf(row));
  sayMore(context, listing);
}

/** One thing: a line for each of its fields; what is nested in them as JSON. */
export function printFields(context: CommandContext, value: JsonObject): void {
  const width = Math.max(0, ...Object.keys(value).map((name) => name.length));
  for (const [name, field] of Object.entries(value)) {
    context.print(`${coloured(context, "dim", name.padEnd(width))}${GAP}${textOf(field)}`);
  }
}

/** Every field of each entry, an empty line between two. */
export function printAllFields(context: CommandContext, listing: Listing): void {
  for (const [index, entry] of listing.data.entries()) {
    if (index > 0) context.print("");
    printFields(context, entry);
  }
  sayMore(context, listing);
}

function sayMore({ say }: CommandContext, { data, next, total }: Listing): void {
  const more = total === undefined ? "There are more" : `There are ${total}`;
  if (next !== null) say(`${more}: --limit ${data.length * 2}`);
}

function valueAt(entry: JsonObject, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, name) => (value as JsonObject | null | undefined)?.[name], entry);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return printable(value);
  if (Array.isArray(value) && value.every((item) => typeof item === "string"))
    return value.map(printable).join(",") || "-";
  return printable(JSON.stringify(value));
}
