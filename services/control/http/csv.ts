// CSV answers, as RFC 4180 has them. People open them in spreadsheets, which run a cell that begins like a formula; users choose their ids.
import { Type } from "typebox";

/** Before these a spreadsheet sees a formula (OWASP, CSV injection). An apostrophe too: so that every one in front can be taken away. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20']/;

/** Of semicolons and tabs too: some spreadsheets cut there. */
const QUOTED = /[",;'\t\r\n]/;

export const CELLS = ["safe", "exact"] as const;

export interface CellsQuery {
  readonly cells?: (typeof CELLS)[number];
}

export const CsvQuery = Type.Object({
  cells: Type.Optional(
    Type.Unsafe<(typeof CELLS)[number]>({
      type: "string",
      enum: CELLS,
      description:
        "safe, when it is not said: texts that begin with = + - @ ' or a tab get an apostrophe in front, so that no spreadsheet runs them. exact: texts as they are, for programs and to be imported again.",
    }),
  ),
});

/** How a text is written. */
export type WriteText = (text: string) => string;

export function writeText({ cells = "safe" }: CellsQuery): WriteText {
  return cells === "exact" ? (text) => text : (text) => (FORMULA.test(text) ? `'${text}` : text);
}

/** One line, with its end. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map((text) => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(",")}\r\n`;
}
