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
  const widths = titles.map((title, column) => widest([title, ...rows.map((row) => row[column] ?? "")]));
  const lineOf = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
  context.print(coloured(context, "bold", lineOf(titles)));
  for (const row of rows) context.print(lineOf(row));
  sayMore(context, listing);
}

/** Of a list of any length: a function takes some hundred thousand arguments at most. */
function widest(texts: readonly string[]): number {
  return texts.reduce((width, { length }) => Math.max(width, length), 0);
}

/** Deeper than this, what is nested is JSON. */
const MAX_DEPTH = 4;

/** One thing: a line for each of its fields, of what is nested too: `webhooks[0].url`. */
export function printFields(context: CommandContext, value: JsonObject): void {
  const fields = [...fieldsOf(value)];
  const width = widest(fields.map(([name]) => name));
  for (const [name, field] of fields) {
    context.print(`${coloured(context, "dim", printable(name).padEnd(width))}${GAP}${textOf(field)}`);
  }
}

function* fieldsOf(value: JsonObject, path = "", depth = 1): Generator<[name: string, value: unknown]> {
  for (const [key, field] of Object.entries(value)) {
    const name = `${path}${key}`;
    if (isObject(field) && depth < MAX_DEPTH) yield* fieldsOf(field, `${name}.`, depth + 1);
    else if (!isListOfObjects(field)) yield [name, field];
    else for (const [index, item] of field.entries()) yield* fieldsOf(item, `${name}[${index}].`, depth + 1);
  }
}

function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}

function isListOfObjects(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
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
  if (value === null || value === undefined || isEmpty(value)) return "-";
  if (typeof value === "string") return printable(value);
  if (Array.isArray(value) && value.every((item) => typeof item === "string"))
    return value.map(printable).join(",");
  return printable(JSON.stringify(value));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
