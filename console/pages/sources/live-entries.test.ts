import { expect, test } from "@jest/globals";
import { matches } from "./live-entries.ts";

test("an event is found by what is shown of it: its body as it came, and its other fields", () => {
  const data = { type: "track", bodyText: '{"event":"Order Completed","total":12.5}' };
  const entry = { id: 1, name: "accepted", seenAtMs: 0, text: JSON.stringify(data), data };
  expect(matches(entry, '"event":"order completed"')).toBe(true);
  expect(matches(entry, '"type":"track"')).toBe(true);
  expect(matches(entry, "refund")).toBe(false);
});
