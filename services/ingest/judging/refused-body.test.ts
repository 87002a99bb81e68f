import { describe, expect, test } from "@jest/globals";
import { parseBatchJson, parseJson } from "./parse-body.ts";
import { MAX_BODY_CHARACTERS, type ReadBody, refusedBody } from "./refused-body.ts";

function read(text: string, isBatch = false): ReadBody {
  const bytes = Buffer.from(text);
  const parsed = isBatch ? parseBatchJson(bytes) : parseJson(bytes);
  return { bytes, value: parsed.ok ? parsed.value : undefined, isBatch };
}

function ofText(text: string) {
  const body = refusedBody(read(text), null, ["wk_own"]);
  if (body === undefined) throw new Error("it has no body");
  return body;
}

describe("the body of a refused call", () => {
  test("is the text as it was sent, with the users that it names", () => {
    const text = '{ "userId": "u1", "previousId": "u0", "n": 1.0 }';
    expect(ofText(text)).toEqual({ body: text, isBodyCut: false, userIds: ["u1", "u0"] });
  });

  test("names a user whose id is no text", () => {
    expect(ofText('{"userId":12}').userIds).toEqual(["12"]);
  });

  test.each(["{", "[]", "null", ""])("of %p names nobody knows whom", (text) => {
    expect(ofText(text)).toEqual({ body: text, isBodyCut: false, userIds: null });
  });

  test("is cut, within no character", () => {
    const long = `{"a":"${"\u{1f600}".repeat(10_000)}"}`;
    const { body, isBodyCut } = ofText(long);
    expect([body.length, isBodyCut, body.isWellFormed()]).toEqual([MAX_BODY_CHARACTERS, true, true]);
    expect(ofText(" ".repeat(MAX_BODY_CHARACTERS)).isBodyCut).toBe(false);
  });

  test.each([
    ['{"writeKey":"k1","a":1}', '{"writeKey":"********","a":1}'],
    [
      '{"write_key" : "k1", "b": {"WriteKey":"k1"}}',
      '{"write_key" : "********", "b": {"WriteKey":"********"}}',
    ],
    ['{"writeKey"  :\n\t"k1"}', '{"writeKey"  :\n\t"********"}'],
    ['{"writeKey":"k1', '{"writeKey":"********'],
    ['{"writeKey":"k1\\', '{"writeKey":"********'],
    ["{'writeKey': 'wk_own'}", "{'writeKey': '********'}"],
    ["writeKey=wk_own&event=E", "writeKey=********&event=E"],
    ['"{\\"writeKey\\":\\"wk_own\\"}"', '"{\\"writeKey\\":\\"********\\"}"'],
    ['{"write\\u004bey":"wk_own"}', '{"write\\u004bey":"********"}'],
  ])("has no write key: %p", (text, shown) => {
    expect(ofText(text).body).toBe(shown);
  });

  test("has none where the text is cut in it", () => {
    const { body } = ofText(`${" ".repeat(MAX_BODY_CHARACTERS - 14)}{"writeKey":"${"k".repeat(40)}"}`);
    expect(body.endsWith('{"writeKey":"*')).toBe(true);
  });

  test("is said to be cut where a long key was masked and text behind it was left out", () => {
    const before = '{"writeKey":"';
    const text = `${before}${"k".repeat(16_380 - before.length)}","😀":1,"userId":"u1"}`;
    expect(ofText(text)).toEqual({ body: `${before}********","`, isBodyCut: true, userIds: ["u1"] });
    expect(ofText(`${before}${"k".repeat(12_000)}"}`).isBodyCut).toBe(false);
  });
});

describe("the body of a refused call in a batch", () => {
  const calls = [{ userId: "a" }, { userId: "b", x: "y" }];
  test("is that of the call alone", () => {
    const sent = '{ "userId": "b", "x":"y" }';
    const small = read(`{"writeKey":"k1","batch":[{"userId":"a"}, ${sent}]}`, true);
    expect(refusedBody(small, 1, [])).toEqual({ body: sent, isBodyCut: false, userIds: ["b"] });
  });

  test("is found in a large one too; one that is too large is not parsed", () => {
    const filled = Array.from({ length: 100 }, () => ({ userId: "c", fill: "x".repeat(900) }));
    const tooLarge = { userId: "d", fill: "x".repeat(40_000) };
    const large = read(JSON.stringify({ batch: [...calls, tooLarge, ...filled] }), true);
    expect(refusedBody(large, 1, [])).toMatchObject({ body: '{"userId":"b","x":"y"}', userIds: ["b"] });
    expect(refusedBody(large, 2, [])).toMatchObject({ isBodyCut: true, userIds: null });
  });

  test("is kept however deep it nests", () => {
    const deep = `{"userId":"b","x":${"[".repeat(15_000)}${"]".repeat(15_000)}}`;
    expect(refusedBody(read(`{"batch":[${deep}]}`, true), 0, [])).toMatchObject({
      ...{ isBodyCut: true, userIds: ["b"] },
    });
  });

  test("of a batch as a whole is its beginning, of nobody knows whom", () => {
    const text = JSON.stringify({ batch: calls });
    expect(refusedBody(read(text, true), null, [])).toEqual({ body: text, isBodyCut: false, userIds: null });
  });
});
