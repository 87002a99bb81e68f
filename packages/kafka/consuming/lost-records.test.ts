import { expect, test } from "@jest/globals";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import type { RecordsLost } from "../runner-types.ts";
import { LostRecords } from "./lost-records.ts";

const PARTITION = { topic: "t", partition: 0 };

function newLostRecords(doneUntilMs?: number) {
  const places: string[] = [];
  const lost: RecordsLost[] = [];
  const { lines, logger } = recordingLogger();
  const lostRecords = new LostRecords({
    logger,
    placeOf: () => ({
      cut(startOffset) {
        places.push(`cut ${startOffset}`);
        return doneUntilMs;
      },
      place: { skipTo: (offset) => void places.push(`skip ${offset}`) },
    }),
    onMoved: () => places.push("moved"),
    onLost: (each) => lost.push(each),
  });
  return { lines, lost, lostRecords, places };
}

test.each([
  ["ten seconds before what is done, for clocks differ", 1_000_000, 990_000],
  ["not before all time", 4_000, 0],
  ["from an unknown time where nothing was done", undefined, undefined],
])("a cut log is read again from a time: %s", (_, doneUntilMs, sinceMs) => {
  const { lines, lost, lostRecords, places } = newLostRecords(doneUntilMs);
  const cut = { ...PARTITION, fromOffset: 90, startOffset: 10, endOffset: 60 };
  expect(lostRecords.cut(cut)).toBe(sinceMs);
  expect(places).toEqual(["cut 10"]);
  expect(lost).toEqual([{ ...PARTITION, records: 30, kind: "truncated" }]);
  expect(lines).toMatchObject([{ level: "error" }]);
});

test("a log of which nothing is left goes on at its end, which may be committed", () => {
  const { lostRecords, places } = newLostRecords();
  lostRecords.cut({ ...PARTITION, fromOffset: 90, startOffset: 60, endOffset: 60 });
  expect(places).toEqual(["cut 60", "skip 60", "moved"]);
});

test("removed records are passed over, and said; none is nothing to say", () => {
  const { lines, lost, lostRecords, places } = newLostRecords();
  lostRecords.gone({ ...PARTITION, fromOffset: 5, toOffset: 5 });
  expect([places, lost, lines]).toEqual([[], [], []]);
  lostRecords.gone({ ...PARTITION, fromOffset: 5, toOffset: 12 });
  expect(places).toEqual(["skip 12", "moved"]);
  expect(lost).toEqual([{ ...PARTITION, records: 7, kind: "unread" }]);
});
