import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { MAX_CALL_BYTES } from "#contract";
import { readBatchText, UnparsedCall } from "./batch-text.ts";

/** Its value with the calls parsed. */
function read(text: string): unknown {
  const reading = readBatchText(Buffer.from(text));
  if (!reading.ok) return reading.rejection.code;
  const { value } = reading;
  const { batch } = (value ?? {}) as { batch?: unknown };
  if (!Array.isArray(batch)) return value;
  const parsed = batch.map((call) => (call instanceof UnparsedCall ? call.parse() : call));
  return { ...(value as object), batch: parsed };
}

const call = { type: "track", event: "E", userId: "u" };

describe("a large batch", () => {
  test("has the members that rules name, and its calls one by one", () => {
    const body = {
      sentAt: "s",
      batch: [call, 5, null, "x", [call]],
      context: { a: [1] },
      integrations: { All: true },
    };
    const text = JSON.stringify({ ...body, sequence: 7, writeKey: "k", x: { y: [] } }, null, 2);
    expect(read(text)).toEqual({ ...body, writeKey: "k" });
  });

  test("of members with the same name the last counts, however its name is written", () => {
    expect(read('{"batch":[1,2],"b\\u0061tch":[3],"context":1,"context":{}}')).toEqual({
      batch: [3],
      context: {},
    });
    expect(read('{"batch":[1,2],"batch":{"a":1}}')).toEqual({ batch: {} });
    expect(read('{"batch":7,"batch":[]}')).toEqual({ batch: [] });
    expect(read('{"batches":[1],"__proto__":{"batch":[2]},"":0}')).toEqual({});
  });

  test.each([
    ["[1,2]", []],
    [' "text" ', "text"],
    ["5", 5],
    ["null", null],
    ["{}", {}],
    ['{"batch":"x"}', { batch: "x" }],
  ])("%s is told as what it is", (text, value) => {
    expect(read(text)).toEqual(value);
  });

  test("more calls than are allowed are counted", () => {
    const value = read(`{"batch":[${new Array(100_000).fill("{}").join(",")}]}`);
    expect((value as { batch: unknown[] }).batch).toHaveLength(100_000);
  });

  test.each([
    '{"batch":[1,2,]}',
    '{"batch":[1 2]}',
    '{"batch":[{]}}',
    '{"batch":[{"a":[}]]}',
    '{"batch":[1]',
    '{"batch":[1]}x',
    '{"batch":[1],}',
    '{"batch"[1]}',
    "{batch:[1]}",
    '{"x":[01],"batch":[1]}',
    '{"batch":[tru],"batch":[1]}',
    "",
  ])("%s is refused as JSON.parse does", (text) => {
    expect(() => readBatchText(Buffer.from(text))).toThrow(expect.objectContaining({ name: "SyntaxError" }));
    expect(() => JSON.parse(text)).toThrow();
  });

  test("a call is parsed only when it may be small enough", () => {
    const sized = (text: string) => {
      const reading = readBatchText(Buffer.from(`{"batch":[${text}]}`));
      const [first] = (reading as { value: { batch: UnparsedCall[] } }).value.batch;
      return first?.isTooLarge;
    };
    const string = (length: number) => `"${"x".repeat(length - 2)}"`;
    expect(sized(string(MAX_CALL_BYTES))).toBe(false);
    expect(sized(string(MAX_CALL_BYTES + 1))).toBe(true);
    expect(sized(`[${" ".repeat(400_000)}]`)).toBe(false);
    expect(sized(`"${"\\u0041".repeat(30_000)}"`)).toBe(false);
    expect(sized(`[${new Array(20_000).fill("[]").join(",")}]`)).toBe(true);
  });

  test("a root of more than twice a call's size is refused unread", () => {
    const context = `{"a":[${new Array(40_000).fill("{}").join(",")}]}`;
    expect(read(`{"context":${context},"batch":[{}]}`)).toBe("message_too_large");
    expect(read(`{"x":${context},"batch":[{}]}`)).toEqual({ batch: [{}] });
  });

  test("any batch comes out as JSON.parse gives it", () => {
    const value = fc.jsonValue({ stringUnit: "binary-ascii", maxDepth: 3 });
    const member = fc.tuple(fc.constantFrom("batch", "context", "sentAt", "writeKey", "x"), value);
    const batch = fc.array(value).map((calls) => ["batch", calls] as const);
    const named = new Set(["batch", "context", "sentAt", "writeKey"]);
    fc.assert(
      fc.property(fc.array(fc.oneof(member, batch), { maxLength: 6 }), (members) => {
        const text = `{${members.map(([name, given]) => `"${name}": ${JSON.stringify(given, null, 1)}`).join(" , ")}}`;
        const plain = Object.entries(JSON.parse(text) as object).filter(([name]) => named.has(name));
        const expected = Object.fromEntries(plain);
        if (
          typeof expected["batch"] === "object" &&
          expected["batch"] !== null &&
          !Array.isArray(expected["batch"])
        )
          expected["batch"] = {};
        expect(read(text)).toEqual(expected);
      }),
    );
  });
});
