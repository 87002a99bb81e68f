import { expect, test } from "@jest/globals";
import { changeOf, masked } from "./changes.ts";

test("an edit keeps the fields that differ, on both sides; what is new or gone is kept as it is", () => {
  const before = { id: "a", name: "A", labels: { team: "x" }, filter: { all: [1] } };
  const after = { id: "a", name: "B", labels: { team: "x" }, paused: true };
  expect(changeOf({ before, after })).toEqual({
    before: { name: "A", filter: { all: [1] } },
    after: { name: "B", paused: true },
  });
  expect(changeOf({ before: null, after })).toEqual({ before: null, after });
  expect(changeOf({ before, after: null })).toEqual({ before, after: null });
});

test("a field that is too large says how large it is: an entry is bounded", () => {
  const { after } = changeOf({ before: null, after: { name: "A", filter: "x".repeat(500_000) } });
  expect(after).toEqual({ name: "A", filter: "(500002 characters, too large to be kept here)" });
});

test("write keys are masked, also those of entries that the version before wrote", () => {
  const source = { writeKeys: ["0123456789abcdef", "fedcba9876543210"] };
  const shown = { writeKeys: ["0123********", "fedc********"] };
  expect(changeOf({ before: null, after: source }).after).toEqual(shown);
  expect([masked(source), masked(shown)]).toEqual([shown, shown]);
});
