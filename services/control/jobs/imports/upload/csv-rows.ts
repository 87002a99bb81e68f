import { pipeline, type Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { MAX_ROW_BYTES, type Row, rowOf } from "./row.ts";

const COLUMN = "userId";
/** One field costs a hundred times its byte while the row is read: 64 KB of commas would be a megabyte, thousands of times over. */
const MAX_COLUMNS = 1_000;

/** A row has more columns than are read. */
class TooWideError extends Error {
  override readonly name = "TooWideError";
  readonly line: number;

  constructor(line: number) {
    super(`has more than ${MAX_COLUMNS} columns`);
    this.line = line;
  }
}

/**
 * The rows of a CSV file whose header has a column `userId`; other columns are passed over. What is no CSV ends it with a row that says so.
 * Rejects with the error of `body`.
 */
export async function* csvRows(body: Readable): AsyncGenerator<Row> {
  const parser = parse({
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    // The line where the row ends goes first.
    on_record(fields: string[], { lines }) {
      if (fields.length > MAX_COLUMNS) throw new TooWideError(lines);
      return [String(lines), ...fields];
    },
  });
  // The parser ends with the body's error; the iteration below sees it.
  pipeline(body, parser, () => undefined);
  try {
    yield* rowsOf(parser);
  } catch (error) {
    if (error instanceof TooWideError) {
      yield { line: error.line, message: error.message };
      return;
    }
    if (!(error instanceof CsvError)) throw error;
    yield { line: lineOf(error), message: `is no CSV: ${reasonOf(error)}` };
  }
}

async function* rowsOf(parsed: AsyncIterable<readonly string[]>): AsyncGenerator<Row> {
  let column = -1;
  for await (const fields of parsed) {
    const line = Number(fields[0]);
    if (column > 0) {
      yield rowOf(line, fields[column]);
      continue;
    }
    column = fields.indexOf(COLUMN, 1);
    if (column > 0) continue;
    yield {
      line,
      message: `has no column ${COLUMN}: the first line names the columns, with commas between them`,
    };
    return;
  }
  if (column < 0)
    yield { line: 1, message: `is missing: the first line names the columns, ${COLUMN} among them` };
}

function lineOf(error: CsvError): number {
  const line: unknown = error["lines"];
  return typeof line === "number" ? line : 0;
}

/** Of its code: the message would show what stands in the file. */
function reasonOf({ code }: CsvError): string {
  return code.replace(/^CSV_/, "").replaceAll("_", " ").toLowerCase();
}
