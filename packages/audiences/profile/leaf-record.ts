// A leaf's state as columns of numbers and texts. Times are written as differences: a date takes six bytes, a difference of a day four.
import { parseExactJson } from "#contract";
import type { ProfileLeaf } from "#topics";
import type { LeafState, Run, Tally, TimedOccurrence } from "../leaves/state.ts";
import { createValues } from "../leaves/values.ts";

interface Columns {
  readonly longs: number[];
  readonly doubles: number[];
  readonly texts: string[];
}

/** As it is read. */
interface LeafRecord extends Pick<ProfileLeaf, "kind" | "isOverflowing"> {
  readonly longs: readonly number[];
  readonly doubles: readonly number[];
  readonly texts: readonly string[];
}

function writeTallies(
  tallies: readonly Tally[],
  kind: LeafState["kind"],
  { doubles, longs, texts }: Columns,
) {
  let [index, atMs] = [0, 0];
  longs.push(tallies.length);
  for (const tally of tallies) {
    longs.push(tally.index - index, tally.n, tally.firstMs - atMs, tally.lastMs - tally.firstMs);
    [index, atMs] = [tally.index, tally.lastMs];
    if (kind === "numbers") doubles.push(tally.sum, tally.min, tally.max);
    if (tally.pick === undefined) continue;
    longs.push(tally.pick.atMs - tally.firstMs, tally.pick.receivedAtMs - tally.pick.atMs);
    texts.push(JSON.stringify(tally.pick.value));
  }
}

/** No occurrence counts for so long. */
const FOR_EVER = -1;

function writeOccurrences(occurrences: readonly TimedOccurrence[], { longs, texts }: Columns): void {
  let previousMs = 0;
  for (const { atMs, fromMs, receivedAtMs, untilMs, value } of occurrences) {
    const lengthMs = untilMs === Number.POSITIVE_INFINITY ? FOR_EVER : untilMs - fromMs;
    longs.push(atMs - previousMs, receivedAtMs - atMs, fromMs - atMs, lengthMs);
    texts.push(JSON.stringify(value));
    previousMs = atMs;
  }
}

function writeTimes(times: readonly number[], { longs }: Columns): void {
  let previousMs = 0;
  for (const atMs of times) {
    longs.push(atMs - previousMs);
    previousMs = atMs;
  }
}

/** The times by which runs begin and end, one after the other. */
function timesOf(runs: readonly Run[]): number[] {
  return runs.flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
}

function runsOf(times: readonly number[]): Run[] {
  return times.flatMap((fromMs, place) =>
    place % 2 === 0 ? { fromMs, toMs: existing(times[place + 1]) } : [],
  );
}

function writeState(state: LeafState, columns: Columns): void {
  if (state.kind === "times") writeTimes(state.times, columns);
  else if (state.kind === "runs") writeTimes(timesOf(state.runs), columns);
  else if (state.kind === "values") {
    for (const [text, tallies] of state.values) {
      columns.texts.push(text);
      writeTallies(tallies, state.kind, columns);
    }
  } else if (state.kind === "occurrences") writeOccurrences(state.occurrences, columns);
  else writeTallies(state.tallies, state.kind, columns);
}

export function leafToRecord(key: string, state: LeafState): ProfileLeaf {
  const columns: Columns = { longs: [], doubles: [], texts: [] };
  writeState(state, columns);
  const isOverflowing = "isOverflowing" in state && state.isOverflowing;
  return { key, kind: state.kind, isOverflowing, ...columns };
}

function existing<V>(value: V | undefined): V {
  if (value === undefined) throw new Error("the columns of a leaf end too early");
  return value;
}

/** Reads the columns from their beginning. Throws where one has no more: what says how much there is may be damaged. */
class Reader {
  #long = 0;
  #double = 0;
  #text = 0;
  readonly #record: LeafRecord;

  constructor(record: LeafRecord) {
    this.#record = record;
  }

  get hasLongs(): boolean {
    return this.#long < this.#record.longs.length;
  }

  get hasTexts(): boolean {
    return this.#text < this.#record.texts.length;
  }

  long(): number {
    return existing(this.#record.longs[this.#long++]);
  }

  double(): number {
    return existing(this.#record.doubles[this.#double++]);
  }

  text(): string {
    return existing(this.#record.texts[this.#text++]);
  }
}

function readTally(reader: Reader, kind: string, before: { index: number; lastMs: number }): Tally {
  const index = before.index + reader.long();
  const n = reader.long();
  const firstMs = before.lastMs + reader.long();
  const lastMs = firstMs + reader.long();
  const tally: Tally = { index, n, firstMs, lastMs, sum: 0, min: 0, max: 0, pick: undefined };
  if (kind === "numbers") {
    tally.sum = reader.double();
    tally.min = reader.double();
    tally.max = reader.double();
  }
  if (kind === "picks") {
    const atMs = firstMs + reader.long();
    tally.pick = { atMs, receivedAtMs: atMs + reader.long(), value: parseExactJson(reader.text()) };
  }
  return tally;
}

function readTallies(reader: Reader, kind: string): Tally[] {
  const tallies: Tally[] = [];
  let before = { index: 0, lastMs: 0 };
  for (let left = reader.long(); left > 0; left -= 1) {
    const tally = readTally(reader, kind, before);
    tallies.push(tally);
    before = tally;
  }
  return tallies;
}

function readOccurrences(reader: Reader): TimedOccurrence[] {
  const occurrences: TimedOccurrence[] = [];
  let previousMs = 0;
  while (reader.hasLongs) {
    const atMs = previousMs + reader.long();
    const receivedAtMs = atMs + reader.long();
    const fromMs = atMs + reader.long();
    const lengthMs = reader.long();
    const untilMs = lengthMs === FOR_EVER ? Number.POSITIVE_INFINITY : fromMs + lengthMs;
    occurrences.push({ atMs, receivedAtMs, fromMs, untilMs, value: parseExactJson(reader.text()) });
    previousMs = atMs;
  }
  return occurrences;
}

function readTimes(differences: readonly number[]): number[] {
  let atMs = 0;
  return differences.map((differenceMs) => {
    atMs += differenceMs;
    return atMs;
  });
}

/** undefined for a kind that a later version has written. */
export function leafFromRecord(record: LeafRecord): LeafState | undefined {
  const { isOverflowing, kind } = record;
  if (kind === "times") return { kind, times: readTimes(record.longs) };
  if (kind === "runs") return { kind, runs: runsOf(readTimes(record.longs)) };
  const reader = new Reader(record);
  switch (kind) {
    case "counts":
    case "numbers":
    case "picks":
      return { kind, tallies: readTallies(reader, kind) };
    case "occurrences":
      return { kind, occurrences: readOccurrences(reader), isOverflowing };
    case "values": {
      const values = new Map<string, Tally[]>();
      while (reader.hasTexts) values.set(reader.text(), readTallies(reader, kind));
      return createValues(values, isOverflowing);
    }
    default:
      return undefined;
  }
}
