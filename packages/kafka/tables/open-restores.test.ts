import { expect, test } from "@jest/globals";
import { KafkaError } from "../errors.ts";
import { partitionOfKey } from "../producing/partitioner.ts";
import { markRecords, OpenRestores, restoreMarks } from "./open-restores.ts";

const [PARTITION_0, PARTITION_1] = [{ partition: 0 }, { partition: 1 }];

/** Marks of two restores in one partition, and records of nobody. */
const [ONE = "", OTHER = ""] = ["one", "other"].flatMap((id) => restoreMarks(id, 1));

/** Reads the log of one partition, from offset 0 on. */
function read(log: readonly (readonly [key: string, value: string | null])[], restores = new OpenRestores()) {
  const isMark = log.map(([key, value], offset) => {
    const bytes = value === null ? null : Buffer.from(value);
    return restores.observe({ key, value: bytes, partition: 0, offset, timestampMs: 1_000 * offset });
  });
  return { isMark, restores, open: restores.open.map(({ key }) => key) };
}

const begun = (key: string) => [key, "begun"] as const;
const ended = (key: string) => [key, null] as const;

test("a restore has a mark in every partition", () => {
  const marks = restoreMarks("r", 12);
  expect(marks.map((key) => partitionOfKey(key, 12)).toSorted((a, b) => a - b)).toEqual([...marks.keys()]);
  const [begins, ends] = (["begun", "ended"] as const).map((state) => markRecords("t", marks, state));
  expect(begins?.every(({ value }) => value !== null)).toBe(true);
  expect(ends?.map(({ key, value }) => [key, value])).toEqual(marks.map((key) => [key, null]));
});

test("it is open from its mark to its mark's end, whatever comes between; others are open by themselves", () => {
  expect(read([["a", "1"], begun(ONE), ["b", "1"], ["c", null]])).toMatchObject({
    isMark: [false, true, false, false],
    open: [ONE],
  });
  expect(read([begun(ONE), begun(OTHER), ended(ONE)]).open).toEqual([OTHER]);
  expect(read([begun(ONE), ended(ONE), ["a", "1"]]).open).toEqual([]);
  // Compaction may leave nothing but the end.
  expect(read([ended(ONE)]).open).toEqual([]);
});

test("only partitions that are there count, and the restore that began first is named", () => {
  const { restores } = read([["a", "1"], begun(ONE), begun(OTHER)]);
  restores.unlessOpen("t", [PARTITION_1]);
  expect(() => restores.unlessOpen("t", [PARTITION_1, PARTITION_0])).toThrow(KafkaError);
  expect(() => restores.unlessOpen("t", [PARTITION_0])).toThrow(
    "t is half restored: a restore that began at 1970-01-01T00:00:01",
  );
});

test("a log that is read again from before a mark says it again; one that was created again does not", () => {
  const { restores } = read([["a", "1"], begun(ONE), ["b", "1"]]);
  expect(read([["a", "1"]], restores).open).toEqual([]);
  expect(read([["a", "1"], begun(ONE)], restores).open).toEqual([ONE]);
  expect(
    read(
      [
        ["b", "1"],
        ["c", "1"],
        ["d", "1"],
      ],
      restores,
    ).open,
  ).toEqual([]);
});
