// Offsets that are done behind the oldest one that is not: as runs of offsets, and as the text of a commit's
// metadata. The text is "done1:<newest>:<runs>". `newest` is a time in base 36. `runs` is base64url of pairs
// of varints: how many offsets from the end of the run before (at first the commit's offset) are not done,
// then how many are.

/** Offsets from `from` up to `to`, exclusive, all of them done or not in the log. */
export interface DoneRun {
  readonly from: number;
  readonly to: number;
}

export interface DoneAhead {
  /** Runs in order of offset. */
  readonly runs: readonly DoneRun[];
  /** Kafka's time of the newest record that is done, here or before the first of them, Unix ms. */
  readonly newestAtMs: number;
}

/** Default of the broker's offset.metadata.max.bytes: a commit with more is refused. */
const MAX_METADATA_BYTES = 4_096;
/**
 * Limit for all partitions of a member together: the broker writes a commit as one batch, which may have a
 * mebibyte (message.max.bytes).
 */
const MAX_METADATA_BYTES_TOGETHER = 512 * 1024;

const FORMAT = /^done1:([0-9a-z]{1,11}):([A-Za-z0-9_-]{0,4096})$/;
/** Four characters of base64 hold three bytes. */
const CHARS_A_BYTE = 4 / 3;
/** A number in here never comes near 2^53, whatever the text says. */
const MAX_VARINT_BYTES = 6;

/** The longest metadata for each of that many partitions. */
export function metadataBytesOf(partitions: number): number {
  return Math.min(MAX_METADATA_BYTES, Math.floor(MAX_METADATA_BYTES_TOGETHER / Math.max(1, partitions)));
}

/** Encodes as many runs, from the first on, as fit into the bytes. */
export function encodeDoneAhead(
  done: DoneAhead | undefined,
  offset: number,
  maxBytes: number,
): string | undefined {
  if (done === undefined) return undefined;
  const head = `done1:${Math.max(0, Math.floor(done.newestAtMs)).toString(36)}:`;
  const room = Math.floor((maxBytes - head.length) / CHARS_A_BYTE);
  const bytes: number[] = [];
  let at = offset;
  for (const { from, to } of done.runs) {
    const before = bytes.length;
    pushVarint(bytes, from - at);
    pushVarint(bytes, to - from);
    if (bytes.length > room) {
      bytes.length = before;
      break;
    }
    at = to;
  }
  return room < 0 ? undefined : head + Buffer.from(bytes).toString("base64url");
}

/**
 * Decodes a commit's metadata; undefined for the text of an earlier version or of another program, and for
 * none.
 */
export function decodeDoneAhead(metadata: string, offset: number): DoneAhead | undefined {
  const [, newest, encoded] = FORMAT.exec(metadata) ?? [];
  if (newest === undefined || encoded === undefined || offset < 0) return undefined;
  const numbers = varintsOf(Buffer.from(encoded, "base64url"));
  if (numbers === undefined || numbers.length % 2 !== 0) return undefined;
  const runs: DoneRun[] = [];
  let at = offset;
  for (let index = 0; index < numbers.length; index += 2) {
    const from = at + (numbers[index] ?? 0);
    at = from + (numbers[index + 1] ?? 0);
    runs.push({ from, to: at });
  }
  return { runs, newestAtMs: Number.parseInt(newest, 36) };
}

/**
 * Whether the record is one of those that are done. One that is newer than all of them stands where another stood: the log was cut, or
 * its topic created again.
 */
export function isDoneAhead(
  { newestAtMs, runs }: DoneAhead,
  { offset, timestampMs }: { readonly offset: number; readonly timestampMs: number },
): boolean {
  if (timestampMs > newestAtMs) return false;
  return (runs[firstEndingAt(runs, offset + 1)]?.from ?? Number.POSITIVE_INFINITY) <= offset;
}

/** More than a commit's metadata can say is not remembered. */
const MAX_RUNS = 4_096;

/** The same, and this record; where it lies apart from so many stretches that no commit could tell, without it. */
export function withDone(
  before: DoneAhead | undefined,
  { offset, timestampMs }: { readonly offset: number; readonly timestampMs: number },
): DoneAhead {
  const { runs = [], newestAtMs = 0 } = before ?? {};
  const at = firstEndingAt(runs, offset);
  const [left, right] = [runs[at], runs[at + 1]];
  const joinsLeft = left !== undefined && left.from <= offset + 1;
  if (!joinsLeft && runs.length >= MAX_RUNS) return { runs, newestAtMs };
  const joinsRight = joinsLeft && right?.from === offset + 1;
  const run = joinsLeft
    ? { from: Math.min(left.from, offset), to: joinsRight ? right.to : Math.max(left.to, offset + 1) }
    : { from: offset, to: offset + 1 };
  const replaced = joinsRight ? 2 : joinsLeft ? 1 : 0;
  return { runs: runs.toSpliced(at, replaced, run), newestAtMs: Math.max(newestAtMs, timestampMs) };
}

/** Index of the first stretch that ends at the offset or behind it. */
function firstEndingAt(runs: readonly DoneRun[], offset: number): number {
  let from = 0;
  let to = runs.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((runs[middle]?.to ?? 0) < offset) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Joins what is done by both; `before` counts from the offset on. */
export function joined(own: DoneAhead | undefined, before: DoneAhead, fromOffset: number): DoneAhead {
  const left = before.runs.flatMap(({ from, to }) =>
    to > fromOffset ? [{ from: Math.max(from, fromOffset), to }] : [],
  );
  const { newestAtMs = 0, runs = [] } = own ?? {};
  return { runs: [...runs, ...left], newestAtMs: Math.max(newestAtMs, before.newestAtMs) };
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
}

/** Undefined where the bytes end in a number, or one is too long. */
function varintsOf(bytes: Buffer): number[] | undefined {
  const numbers: number[] = [];
  let [value, factor, length] = [0, 1, 0];
  for (const byte of bytes) {
    value += (byte & 0x7f) * factor;
    factor *= 0x80;
    length += 1;
    if (length > MAX_VARINT_BYTES) return undefined;
    if (byte >= 0x80) continue;
    numbers.push(value);
    [value, factor, length] = [0, 1, 0];
  }
  return length === 0 ? numbers : undefined;
}
