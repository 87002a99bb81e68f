import type { Readable } from "node:stream";
import { isJsonObject } from "#contract";
import { MAX_ROW_BYTES, type Row, rowOf } from "./row.ts";

/** The rows of a file with one JSON object `{"userId": …}` a line; empty lines are passed over. Rejects with the error of `body`. */
export async function* ndjsonRows(body: Readable): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of linesOf(body)) {
    line += 1;
    if (text === undefined) yield { line, message: `is longer than ${MAX_ROW_BYTES} characters` };
    else if (text.trim() !== "") yield parsed(line, text);
  }
}

function parsed(line: number, text: string): Row {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { line, message: "is no JSON" };
  }
  return isJsonObject(value) ? rowOf(line, value["userId"]) : { line, message: "is no JSON object" };
}

/** Without their ends; undefined for one that is too long, after which there are no more. A byte order mark is taken away. */
async function* linesOf(body: Readable): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length <= MAX_ROW_BYTES) continue;
    yield undefined;
    return;
  }
  yield rest + decoder.decode();
}
