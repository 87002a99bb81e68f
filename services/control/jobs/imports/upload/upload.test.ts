// Rows of uploads: what is read, which line is wrong, and what becomes of a body that breaks off.
import { PassThrough, Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { decodedBody } from "./body.ts";
import { csvRows } from "./csv-rows.ts";
import { ndjsonRows } from "./ndjson-rows.ts";
import type { Row } from "./row.ts";
import { stage } from "./stage.ts";

/** In pieces of a few bytes, so that lines and characters are cut. */
function piecesOf(text: string | Buffer): Readable {
  const bytes = Buffer.from(text as string);
  const count = Math.ceil(bytes.length / 5);
  return Readable.from(Array.from({ length: count }, (_, index) => bytes.subarray(index * 5, index * 5 + 5)));
}

async function rowsOf(rows: AsyncIterable<Row>): Promise<(string | Row)[]> {
  const found: (string | Row)[] = [];
  for await (const row of rows) found.push("userId" in row ? `${row.line} ${row.userId}` : row);
  return found;
}

describe("CSV", () => {
  const csv = (text: string | Buffer) => rowsOf(csvRows(piecesOf(text)));

  test("columns in any order, quotes, CRLF, a byte order mark, empty lines and no line end at the end", async () => {
    expect(await csv('\uFEFFname,userId\r\nAnn,a1\r\n\r\n"B, b","b""2"\r\n"two\nlines",ö3\r\nx,4')).toEqual([
      "2 a1",
      '4 b"2',
      "6 ö3",
      "7 4",
    ]);
  });

  test("lines that are wrong are named, and those after them are read", async () => {
    const latin = Buffer.from("userId\nm\xfcller\n", "latin1");
    expect(await csv(latin)).toEqual([{ line: 2, message: "has a userId that is not UTF-8" }]);
    expect(await csv(`n,userId\na,\nb\nc,${"x".repeat(1_001)}\nd,ok`)).toEqual([
      { line: 2, message: "has no userId" },
      { line: 3, message: "has no userId" },
      { line: 4, message: "has a userId of more than 1000 characters" },
      "5 ok",
    ]);
  });

  test.each([
    { what: "nothing", text: "", line: 1, message: "is missing" },
    { what: "no column userId", text: "id,name\na,b", line: 1, message: "has no column userId" },
    { what: "a quote within a field", text: 'userId\na\nb"c', line: 3, message: "is no CSV: " },
    { what: "a quote that stays open", text: 'userId\na\n"b\nc', line: 4, message: "quote not closed" },
    {
      what: "a row of more columns than are read",
      text: `userId\na\n${",".repeat(1_000)}\nb`,
      line: 3,
      message: "more than 1000 columns",
    },
    {
      what: "a line without end",
      text: `userId\na\n${"x".repeat(70_000)}`,
      line: 3,
      message: "max record size",
    },
  ])("what is no list of users is refused: $what", async ({ line, message, text }) => {
    const last = (await csv(text)).at(-1);
    expect(last).toEqual({ line, message: expect.stringContaining(message) });
  });
});

describe("NDJSON", () => {
  const ndjson = (text: string | Buffer) => rowsOf(ndjsonRows(piecesOf(text)));

  test("one object a line, other fields, a byte order mark, CRLF, empty lines", async () => {
    expect(await ndjson('\uFEFF{"userId":"a"}\r\n\n{"x":1,"userId":"ö\\n"}')).toEqual(["1 a", "3 ö\n"]);
    expect(await ndjson("")).toEqual([]);
  });

  test("lines that are wrong are named, and those after them are read", async () => {
    expect(await ndjson('{"userId":1}\n{"userId":\n[]\n{"id":"a"}\n{"userId":"b"}\n')).toEqual([
      { line: 1, message: "has a userId that is no text" },
      { line: 2, message: "is no JSON" },
      { line: 3, message: "is no JSON object" },
      { line: 4, message: "has no userId" },
      "5 b",
    ]);
    expect(await ndjson('{"userId":"\\ud83d\\ude00"}\n{"userId":"a\\ud83d"}')).toEqual([
      "1 \u{1F600}",
      { line: 2, message: "has a userId that is not UTF-8" },
    ]);
    expect(await ndjson(`{"userId":"a"}\n${"x".repeat(70_000)}`)).toEqual([
      "1 a",
      { line: 2, message: "is longer than 65536 characters" },
    ]);
  });
});

describe("the body", () => {
  const read = async (body: Readable, encoding?: string) => {
    const { stream } = decodedBody(body, encoding);
    // It may have failed before anybody reads it.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    return await rowsOf(csvRows(stream));
  };
  const zipped = gzipSync("userId\nanna\nbert");

  test("is read plain or from gzip; another encoding is refused", async () => {
    for (const body of [await read(piecesOf(zipped), "gzip"), await read(piecesOf("userId\nanna\nbert"))])
      expect(body).toEqual(["2 anna", "3 bert"]);
    expect(() => decodedBody(piecesOf(""), "br")).toThrow("gzip");
  });

  test.each([
    ["is no gzip", Buffer.from("userId\nanna")],
    ["breaks off", zipped.subarray(0, -6)],
  ])("that says gzip and %s cannot be read", async (_, bytes) => {
    await expect(read(piecesOf(bytes), "gzip")).rejects.toMatchObject({ kind: "unreadable" });
    const { stream } = decodedBody(piecesOf(bytes), "gzip");
    await expect(rowsOf(ndjsonRows(stream))).rejects.toMatchObject({ kind: "unreadable" });
  });

  test("that is a hundred times what was sent is refused: only its sender knows what for", async () => {
    const alike = (count: number) => gzipSync(`userId\n${`${"u".repeat(999)}\n`.repeat(count)}`);
    const large = decodedBody(Readable.from([alike(5_000)]), "gzip");
    await expect(rowsOf(csvRows(large.stream))).rejects.toMatchObject({ kind: "too_large" });
    large.discard();
    expect(await read(Readable.from([alike(1_000)]), "gzip")).toHaveLength(1_000);
  });

  test("whose connection ends before it does cannot be read", async () => {
    const request = new PassThrough();
    request.write("userId\nanna\n");
    const reading = read(request);
    setImmediate(() => request.destroy(new Error("aborted")));
    await expect(reading).rejects.toMatchObject({ kind: "unreadable" });
  });
});

describe("staging", () => {
  async function* rows(...of: readonly (string | undefined)[]): AsyncGenerator<Row> {
    for (const [index, userId] of of.entries())
      yield userId === undefined ? { line: index + 1, message: "wrong" } : { line: index + 1, userId };
  }
  const many = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);

  test("rows are written in chunks, in their order", async () => {
    const chunks: string[][] = [];
    const staged = await stage(rows(...many(12_000)), async (chunk) => void chunks.push(chunk));
    expect(chunks.map(({ length }) => length)).toEqual([5_000, 5_000, 2_000]);
    expect([chunks.flat(), staged]).toEqual([many(12_000), { rows: 12_000, errors: [], errorCount: 0 }]);
    const long: number[] = [];
    await stage(
      rows(...Array.from({ length: 500 }, () => "x".repeat(1_000))),
      async ({ length }) => void long.push(length),
    );
    expect(long).toEqual([200, 200, 100]);
  });

  test("after a wrong row nothing is written; the first fifty are named, all are counted", async () => {
    const chunks: string[][] = [];
    const wrong = Array.from({ length: 60 }, () => undefined);
    const staged = await stage(rows("a", ...wrong, ...many(6_000)), async (chunk) => void chunks.push(chunk));
    expect([chunks, staged.errorCount, staged.errors.length]).toEqual([[], 60, 50]);
    expect(staged.errors[0]).toEqual({ line: 2, message: "wrong" });
  });
});
