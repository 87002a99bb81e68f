import { expect, test } from "@jest/globals";
import { described, importIdOf } from "./file.ts";

test.each([
  ["vips.csv", "text/csv", false],
  ["vips.csv.gz", "text/csv", true],
  ["vips.ndjson", "application/x-ndjson", false],
  ["vips.jsonl.gz", "application/x-ndjson", true],
  ["vips", "text/csv", false],
])("%s is read as %s", (name, contentType, isCompressed) => {
  expect(described(name)).toEqual({ contentType, isCompressed });
});

test("an import id is one that control takes, whatever the file is called", () => {
  const id = importIdOf(`Größe & ${"x".repeat(300)}.csv`, new Date(Date.UTC(2026, 0, 31)));
  expect(id).toMatch(/^[A-Za-z0-9._~:-]{1,100}$/);
  expect(id).toMatch(/:2026-01-31T00:00:00\.000Z$/);
});
