import { beforeEach, expect, test } from "@jest/globals";
import { type CutLog, Place } from "./place.ts";
import type { Seen } from "./tracker.ts";

let cuts: CutLog[];

beforeEach(() => {
  cuts = [];
});

const newPlace = () => new Place((cut) => cuts.push(cut));

/** A record that is not done. */
function seen(offset: number): Seen {
  return { offset, timestampMs: 0, isDone: false };
}

/** A place whose first batch is seen: records from this offset to before that. */
function begun(from: number, to: number) {
  const place = newPlace();
  place.begin(from, to);
  const records = Array.from({ length: to - from }, (_, index) => seen(from + index));
  for (const record of records) place.see(record);
  return { place, records };
}

test("a place that was never lost is known, also before its first batch", () => {
  expect(newPlace().isKnown).toBe(true);
});

test("all is committed when nothing was done since the commit that was answered was sent", () => {
  const { place, records } = begun(0, 2);
  const [first, second] = records as [Seen, Seen];
  expect(place.isCommitted).toBe(true);
  place.done(first);
  place.sent();
  place.doneEarly({ offset: 7, timestampMs: 0 });
  place.committed();
  expect(place.isCommitted).toBe(false);
  place.sent();
  place.committed();
  expect(place.isCommitted).toBe(true);
  place.done(second);
  place.lose([]);
  expect(place.isCommitted).toBe(true);
  place.ownAnew();
  place.done(seen(3));
  place.sent();
  place.committed();
  expect(place.isCommitted).toBe(false);
});

test("it is not known from its loss to the first batch of the new term, and commits nothing then", () => {
  const { place, records } = begun(0, 2);
  const [first, second] = records as [Seen, Seen];
  place.done(first);
  expect([place.isKnown, place.committable]).toEqual([true, 1]);
  place.lose([second]);
  place.ownAnew();
  expect([place.isKnown, place.committable]).toEqual([false, undefined]);
  place.begin(1, 2);
  expect([place.isKnown, place.committable]).toEqual([true, 1]);
});

test("of a member that reads nothing more it is known by the group's commit, but for one outside of what was seen", () => {
  const lost = (): Place => {
    const { place, records } = begun(4, 8);
    place.done(records[1] as Seen);
    place.ownAnew();
    return place;
  };
  const learn = (place: Place, committed: number) =>
    place.learn(committed, { runs: [{ from: 4, to: 5 }], newestAtMs: 0 });
  const placesOf = (isReadFirst: boolean) => (committed: number) => {
    const place = lost();
    expect(place.awaitsCommit).toBe(true);
    if (isReadFirst) learn(place, committed);
    place.readNoMore();
    if (!isReadFirst) learn(place, committed);
    expect(place.awaitsCommit).toBe(false);
    return place.committable;
  };
  for (const isReadFirst of [true, false])
    expect([-1, 3, 4, 8, 9].map(placesOf(isReadFirst))).toEqual([undefined, undefined, 6, 8, undefined]);
  const never = newPlace();
  never.ownAnew();
  never.readNoMore();
  expect([never.isKnown, never.awaitsCommit]).toEqual([false, false]);
  never.learn(0, undefined);
  expect(never.isKnown).toBe(false);
  const cut = lost();
  cut.cut(2);
  cut.readNoMore();
  expect([cut.isKnown, cut.awaitsCommit]).toEqual([false, false]);
  cut.learn(4, undefined);
  expect(cut.isKnown).toBe(false);
  const again = lost();
  learn(again, 4);
  again.ownAnew();
  again.readNoMore();
  expect([again.isKnown, again.awaitsCommit]).toEqual([false, true]);
});

/** The offsets that the group's commit marks as done: from 6 to 8. */
const AHEAD = { runs: [{ from: 6, to: 8 }], newestAtMs: 100 };

function newTerm(): Place {
  const place = newPlace();
  place.ownAnew();
  place.learn(5, AHEAD);
  return place;
}

test("what an earlier owner has done beyond its commit is passed over, and is committed with what is before it", () => {
  const place = newTerm();
  place.begin(5, 9);
  const records = [5, 6, 7, 8].map(seen);
  expect(records.filter((record) => place.see(record)).map(({ offset }) => offset)).toEqual([5, 8]);
  expect([place.committable, place.doneAhead()?.runs]).toEqual([5, [{ from: 6, to: 8 }]]);
  const [open] = records;
  if (open !== undefined) place.done(open);
  expect(place.committable).toBe(8);
});

test("what was open here when the partition was lost, and was done by the owner between, is done", () => {
  const { place, records } = begun(5, 8);
  place.lose([]);
  place.ownAnew();
  place.learn(5, AHEAD);
  place.begin(5, 8);
  expect(place.doneAhead()?.runs).toEqual([{ from: 6, to: 8 }]);
  expect(records.map((record) => place.takeBack(record))).toEqual([true, false, false]);
});

test("it counts for the term that begins with it: not for a place that is known, nor for a later term", () => {
  const known = newPlace();
  known.learn(5, AHEAD);
  expect(known.wasDone(seen(6))).toBe(false);
  const place = newTerm();
  expect(place.wasDone(seen(6))).toBe(true);
  place.lose([]);
  expect(place.wasDone(seen(6))).toBe(false);
});

test("records of a log that was cut are not passed over", () => {
  const place = newTerm();
  place.begin(5, 6);
  place.see(seen(5));
  place.begin(6, 20);
  for (let offset = 8; offset < 20; offset += 1) place.see(seen(offset));
  place.begin(0, 8);
  expect(cuts).toEqual([{ seenUpTo: 20, nowAt: 0 }]);
  expect(place.see(seen(6))).toBe(true);
});

test("a log that goes back within a term was cut: what was seen, and where it is now, are told", () => {
  const { place } = begun(0, 5);
  place.begin(2, 4);
  expect(cuts).toEqual([{ seenUpTo: 5, nowAt: 2 }]);
});

test("of a log that was cut, what is open and retention has removed holds the commit back; the rest is read again", () => {
  const { place, records } = begun(0, 5);
  for (const record of [records[1], records[4]]) if (record !== undefined) place.done(record);
  place.cut(2);
  expect([place.isKnown, place.committable]).toEqual([false, undefined]);
  place.begin(3, 4);
  const again = seen(3);
  expect([place.see(again), place.committable, place.doneAhead()?.runs]).toEqual([
    true,
    0,
    [{ from: 1, to: 2 }],
  ]);
  for (const record of records) place.done(record);
  expect(place.committable).toBe(3);
  place.done(again);
  expect(place.committable).toBe(4);
  expect(cuts).toEqual([]);
});

test("what is done before its turn in a log that was cut is not what stands in its place now", () => {
  const { place } = begun(0, 3);
  place.cut(0);
  place.begin(0, 2);
  const others = [0, 1].map((offset) => ({ ...seen(offset), timestampMs: 60 }));
  for (const other of others) place.see(other);
  place.doneEarly({ offset: 1, timestampMs: seen(1).timestampMs });
  expect(others.map(({ isDone }) => isDone)).toEqual([false, false]);
  place.doneEarly({ offset: 1, timestampMs: 60 });
  expect(others.map(({ isDone }) => isDone)).toEqual([false, true]);
});

test("a new term after a cut does not wait for what retention had removed: it begins at the group's commit", () => {
  const { place } = begun(0, 5);
  place.cut(2);
  place.ownAnew();
  place.begin(2, 3);
  place.see(seen(2));
  expect(place.committable).toBe(2);
});

test("a term in which others stand at offsets that were seen tells so, and what is below them is still to be done", () => {
  const { place, records } = begun(0, 5);
  for (const record of records.slice(3)) place.done(record);
  place.lose([]);
  place.ownAnew();
  place.begin(0, 4);
  expect([0, 1, 2, 3].map((offset) => place.see(seen(offset)))).toEqual([false, false, false, false]);
  expect(cuts).toEqual([]);
  const other = { ...seen(3), timestampMs: seen(3).timestampMs + 1 };
  expect([place.see(other), place.next, place.committable]).toEqual([true, 4, 0]);
  expect(cuts).toEqual([{ seenUpTo: 5, nowAt: 3 }]);
  expect(place.doneAhead()?.runs).toEqual([]);
  for (const record of [...records, other]) place.done(record);
  expect(place.committable).toBe(4);
});

test("another record is new although all that was seen there is done, known by its time or by being newer than all of it", () => {
  const at = (offset: number, timestampMs: number): Seen => ({ offset, timestampMs, isDone: false });
  const place = newPlace();
  place.begin(0, 3_000);
  for (let offset = 0; offset < 3_000; offset += 1) {
    const record = at(offset, offset);
    place.see(record);
    place.done(record);
  }
  place.ownAnew();
  place.begin(7, 9);
  expect([at(7, 7), at(8, 2_999), at(2_999, 2_999)].map((each) => place.see(each))).toEqual([
    false,
    false,
    false,
  ]);
  expect(cuts).toEqual([]);
  expect([place.see(at(2_990, 5)), place.committable]).toEqual([true, 2_990]);
  place.ownAnew();
  place.begin(7, 9);
  expect([place.see(at(7, 3_000)), place.committable]).toEqual([true, 7]);
  expect(cuts).toEqual([
    { seenUpTo: 3_000, nowAt: 2_990 },
    { seenUpTo: 2_991, nowAt: 7 },
  ]);
});

test("what is done before its turn is passed over when it is read, and is committed before that", () => {
  const { place } = begun(0, 2);
  place.doneEarly(seen(1));
  for (const offset of [3, 4]) place.doneEarly({ offset, timestampMs: 50 });
  expect(place.doneAhead()).toEqual({
    runs: [
      { from: 1, to: 2 },
      { from: 3, to: 5 },
    ],
    newestAtMs: 50,
  });
  expect([2, 3, 4, 5].filter((offset) => place.see(seen(offset)))).toEqual([2, 5]);
  expect(place.doneAhead()?.runs).toEqual([
    { from: 1, to: 2 },
    { from: 3, to: 5 },
  ]);
  // The very next that is read.
  place.doneEarly({ offset: 6, timestampMs: 50 });
  expect(place.see(seen(6))).toBe(false);
  place.lose([]);
  place.doneEarly({ offset: 7, timestampMs: 50 });
  place.ownAnew();
  place.begin(0, 8);
  expect(place.see(seen(7))).toBe(true);
});
