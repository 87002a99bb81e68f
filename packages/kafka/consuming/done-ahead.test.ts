import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  type DoneAhead,
  decodeDoneAhead,
  encodeDoneAhead,
  isDoneAhead,
  metadataBytesOf,
  withDone,
} from "./done-ahead.ts";

const MAX_BYTES = 4_096;

/** Stretches behind an offset, each after at least one record that is not done. */
const stretches = fc.array(
  fc.record({ open: fc.integer({ min: 1, max: 1_000_000 }), done: fc.integer({ min: 1, max: 1_000_000 }) }),
  { minLength: 1, maxLength: 200 },
);

function doneBehind(
  offset: number,
  all: readonly { readonly open: number; readonly done: number }[],
): DoneAhead {
  let at = offset;
  const runs = all.map(({ open, done }) => {
    const from = at + open;
    at = from + done;
    return { from, to: at };
  });
  return { runs, newestAtMs: 1_764_000_000_000 };
}

describe("what is done behind a commit, as its metadata", () => {
  test("is read as it was written, whatever the offset", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 52 }), stretches, (offset, all) => {
        const done = doneBehind(offset, all);
        const metadata = encodeDoneAhead(done, offset, MAX_BYTES) ?? "";
        expect(decodeDoneAhead(metadata, offset)).toEqual(done);
      }),
    );
  });

  test("takes some twenty bytes for one stretch, which is what one slow record leaves", () => {
    const metadata = encodeDoneAhead(doneBehind(1_000_000, [{ open: 1, done: 5_000 }]), 1_000_000, MAX_BYTES);
    expect(metadata).toHaveLength(19);
  });

  test("is the first part of it where it does not fit: of every other record being done, three thousand", () => {
    const done = doneBehind(0, Array(10_000).fill({ open: 1, done: 1 }));
    const metadata = encodeDoneAhead(done, 0, MAX_BYTES) ?? "";
    expect(metadata.length).toBeLessThanOrEqual(MAX_BYTES);
    expect(metadata.length).toBeGreaterThan(MAX_BYTES - 8);
    const { runs = [] } = decodeDoneAhead(metadata, 0) ?? {};
    expect(runs).toEqual(done.runs.slice(0, runs.length));
    expect(runs.at(-1)?.to).toBeGreaterThan(3_000);
    expect(encodeDoneAhead(done, 0, 15)).toBe("done1:midc1z40:");
    expect(encodeDoneAhead(done, 0, 10)).toBeUndefined();
    const lengths = Array.from({ length: 40 }, (_, more) => 15 + more).map(
      (maxBytes) => maxBytes - (encodeDoneAhead(done, 0, maxBytes)?.length ?? 0),
    );
    expect(Math.min(...lengths)).toBe(0);
  });

  test("has less room where a member has so many partitions that one commit of them all would be too large", () => {
    expect([1, 12, 128].map(metadataBytesOf)).toEqual([4_096, 4_096, 4_096]);
    expect(512 * metadataBytesOf(512)).toBeLessThanOrEqual(512 * 1024);
  });

  test.each([
    ["none", ""],
    ["that of another program", "cooperative-sticky"],
    ["a later format", "done2:mi4x:AQE"],
    ["one that ends in a number", "done1:mi4x:gA"],
    ["half a pair", "done1:mi4x:AQ"],
    ["a number of no end", `done1:mi4x:${"_".repeat(40)}`],
    ["more than was ever written", `done1:mi4x:${"A".repeat(5_000)}`],
  ])("is nothing where the metadata is %s", (_, metadata) => {
    expect(decodeDoneAhead(metadata, 5)).toBeUndefined();
  });

  test("never throws, and never claims what is below the commit", () => {
    fc.assert(
      fc.property(fc.string(), fc.base64String(), fc.nat(), (text, runs, offset) => {
        for (const metadata of [text, `done1:mi4x:${runs}`]) {
          const done = decodeDoneAhead(metadata, offset);
          for (const { from, to } of done?.runs ?? []) expect(to).toBeGreaterThanOrEqual(from);
          expect(done?.runs[0]?.from ?? offset).toBeGreaterThanOrEqual(offset);
        }
      }),
    );
  });
});

describe("a record that is read", () => {
  const done: DoneAhead = {
    runs: [
      { from: 5, to: 7 },
      { from: 9, to: 10 },
    ],
    newestAtMs: 1_000,
  };

  test("was done when it lies in one of the stretches", () => {
    const offsets = Array.from({ length: 12 }, (_, offset) => offset);
    expect(offsets.filter((offset) => isDoneAhead(done, { offset, timestampMs: 1_000 }))).toEqual([5, 6, 9]);
  });

  test("was not when it is newer than all of them: it stands where another stood, before the log was cut", () => {
    expect(isDoneAhead(done, { offset: 5, timestampMs: 1_001 })).toBe(false);
  });
});

describe("records that are done one by one", () => {
  test("make the stretches of all of them, in whatever order they come", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 })), (offsets) => {
        const done = offsets.reduce<DoneAhead | undefined>(
          (before, offset) => withDone(before, { offset, timestampMs: offset }),
          undefined,
        ) ?? { runs: [], newestAtMs: 0 };
        const told = done.runs.flatMap(({ from, to }) =>
          Array.from({ length: to - from }, (_, i) => from + i),
        );
        expect(told).toEqual([...new Set(offsets)].sort((a, b) => a - b));
        expect(done.runs.every(({ from }, index) => from > (done.runs[index - 1]?.to ?? -1))).toBe(true);
        for (const offset of offsets) expect(isDoneAhead(done, { offset, timestampMs: offset })).toBe(true);
      }),
    );
  });

  test("are remembered as long as a commit could tell of them", () => {
    let done: DoneAhead | undefined;
    for (let offset = 0; offset < 20_000; offset += 2) done = withDone(done, { offset, timestampMs: 1 });
    expect(done?.runs).toHaveLength(4_096);
    expect(withDone(done, { offset: 1, timestampMs: 1 }).runs).toHaveLength(4_095);
  });
});
