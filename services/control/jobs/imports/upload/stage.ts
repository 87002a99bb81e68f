// Rows become durable while the upload is read; nothing looks at them before it is whole.
import type { ImportError } from "#topics";
import { ProblemError } from "../../../http/problem.ts";
import type { Row } from "./row.ts";

/** Rows of one record, which holds a megabyte. */
const MAX_CHUNK = { rows: 5_000, characters: 200_000 };
/** Five million users take 64 MB while they are compared. */
const MAX_ROWS = 5_000_000;
/** So many wrong lines are named; the others are counted. */
const MAX_ERRORS = 50;

export interface Staged {
  readonly rows: number;
  /** Any of them refuses all rows. */
  readonly errors: readonly ImportError[];
  readonly errorCount: number;
}

/** `write` resolves when the rows are durable. Rejects with a ProblemError when there are too many, and with the error of either side. */
export async function stage(
  rows: AsyncIterable<Row>,
  write: (userIds: string[]) => Promise<void>,
): Promise<Staged> {
  const errors: ImportError[] = [];
  let [count, errorCount, characters] = [0, 0, 0];
  let chunk: string[] = [];
  const flush = async (): Promise<void> => {
    const full = chunk;
    [chunk, characters] = [[], 0];
    // What is refused is not kept.
    if (full.length > 0 && errorCount === 0) await write(full);
  };
  for await (const row of rows) {
    count += 1;
    if (count > MAX_ROWS) throw new ProblemError("too_large", `an upload has at most ${MAX_ROWS} rows`);
    if ("message" in row) {
      errorCount += 1;
      if (errors.length < MAX_ERRORS) errors.push(row);
      continue;
    }
    chunk.push(row.userId);
    characters += row.userId.length;
    if (chunk.length === MAX_CHUNK.rows || characters >= MAX_CHUNK.characters) await flush();
  }
  await flush();
  return { rows: count, errors, errorCount };
}
