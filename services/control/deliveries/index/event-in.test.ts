import { expect, test } from "@jest/globals";
import { eventIn } from "./event-in.ts";

const bodyOf = (call: object) => Buffer.from(JSON.stringify(call));
const TRACK = { version: 1, type: "track" };

test.each([
  ["Bought", { ...TRACK, userId: "u1", event: "Bought", properties: { event: "inner" } }],
  ['a "quoted" \\ name', { ...TRACK, event: 'a "quoted" \\ name' }],
  ["Bought", { ...TRACK, userId: '","event":"fake"', event: "Bought" }],
  ["Bought", { 0: { event: "index" }, ...TRACK, event: "Bought" }],
  [undefined, { version: 1, type: "identify", traits: { event: "no" } }],
  [undefined, {}],
])("the name of a track call is %p", (name, call) => {
  expect(eventIn(bodyOf(call))).toBe(name);
});

test("a body that is cut off has none", () => {
  expect(eventIn(Buffer.from('{"version":1,"type":"track","event":"Bou'))).toBeUndefined();
});
