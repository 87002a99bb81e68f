import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseExactJson } from "#contract";
import { fieldIn, UNDECIDED } from "./json-field.ts";

const name = fc.oneof(
  fc.stringMatching(/^[\w ]{1,9}$/),
  fc.constantFrom(
    "properties",
    "traits",
    "context",
    "__proto__",
    "0",
    "",
    'a"b',
    "a\\\\",
    "é",
    "\ud800",
    "a\nb",
  ),
);
const body = fc
  .dictionary(name, fc.oneof(fc.jsonValue(), fc.constantFrom('{"', '\\\\"}', "[", "]},", "\ud800")), {
    maxKeys: 6,
  })
  .map((fields) => JSON.parse(JSON.stringify(fields)) as Record<string, unknown>);

test("a field of a stringified object is what parsing all of it gives", () => {
  fc.assert(
    fc.property(body, name, (object, missing) => {
      const text = JSON.stringify(object);
      const parsed = parseExactJson(text) as Record<string, unknown>;
      for (const field of [...Object.keys(parsed), missing]) {
        const found = fieldIn(Buffer.from(text), field);
        if (/^[\w ]+$/.test(field) && field !== "__proto__")
          expect(found).toEqual(Object.hasOwn(parsed, field) ? parsed[field] : undefined);
        else expect(found).toBe(UNDECIDED);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  "",
  "null",
  "[]",
  '"a"',
  "{",
  '{"a"',
  '{"a":',
  '{ "b":1}',
  '{"a" :1,"b":2}',
  '{"a":1, "b":2}',
  '{"a":1} ',
  '{"a":1}x',
  '{"a":1',
])("of %j it is not decided: all of it has to be parsed", (text) => {
  expect(fieldIn(Buffer.from(text), "b")).toBe(UNDECIDED);
});

test("what stands behind the field is not looked at", () => {
  expect(
    fieldIn(Buffer.from('{"type":"track","properties":{"total":5},"context":{"a'), "properties"),
  ).toEqual({ total: 5 });
});

test("a field has its own keys, whatever V8 has parsed before", () => {
  JSON.parse('{"a":1,"\\\\":2}');
  expect(fieldIn(Buffer.from('{"traits":{"a":1,"\\n":2}}'), "traits")).toEqual({ a: 1, "\n": 2 });
});
