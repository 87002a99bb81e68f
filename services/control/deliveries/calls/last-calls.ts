// The newest calls of a source, from the log of calls: routers may be behind, or record nothing.
import type { Admin, Kafka, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { Call, Topic } from "#topics";
import { placeOf } from "../../records/places/places.ts";
import { decodedIfReadable } from "../../records/places/undecodable.ts";

export interface LastCallsParts {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Pick<Admin, "offsets">;
  readonly serde: Pick<Serde, "decode">;
  readonly topic: Topic<"call">;
}

interface Asked {
  readonly sourceId: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface PlacedCall {
  readonly place: number;
  readonly call: Call;
}

/** Of all partitions together: read at a time, and at most. A source of which there are fewer calls among them is a rare one. */
const SLICE_RECORDS = 2_000;
const MAX_RECORDS = 20_000;

/** One partition, read backwards in slices. */
interface Tail {
  readonly partition: number;
  readonly low: number;
  /** What stands before it was not read yet. */
  next: number;
  /** When the oldest record was written that was read. */
  oldestMs: number;
}

/** Newest first, at most `limit`. Rejects with `signal`. */
export async function lastCalls(parts: LastCallsParts, asked: Asked): Promise<PlacedCall[]> {
  const offsets = await parts.admin.offsets(parts.topic.name);
  const tails = offsets.map(
    ({ high, low, partition }): Tail => ({ partition, low, next: high, oldestMs: Number.POSITIVE_INFINITY }),
  );
  const slice = Math.max(1, Math.floor(SLICE_RECORDS / tails.length));
  let found: PlacedCall[] = [];
  for (let left = MAX_RECORDS; left > 0; ) {
    // A partition may have newer ones than those that were found as long as it was not read so far back.
    const enoughFromMs = found[asked.limit - 1]?.call.receivedAtMs ?? Number.NEGATIVE_INFINITY;
    const due = tails.filter(({ low, next, oldestMs }) => next > low && oldestMs >= enoughFromMs);
    if (due.length === 0) break;
    const read = await Promise.all(due.map((tail) => readBack(parts, asked, { tail, slice })));
    found = newestOf([...found, ...read.flat()], asked.limit);
    left -= due.length * slice;
  }
  return found;
}

export function newestOf(calls: readonly PlacedCall[], limit: number): PlacedCall[] {
  const newer = (one: PlacedCall, other: PlacedCall): number =>
    other.call.receivedAtMs - one.call.receivedAtMs || other.place - one.place;
  return calls.toSorted(newer).slice(0, limit);
}

async function readBack(
  { kafka, serde, topic }: LastCallsParts,
  { signal, sourceId }: Asked,
  { slice, tail }: { readonly tail: Tail; readonly slice: number },
): Promise<PlacedCall[]> {
  const { low, next: toOffset, partition } = tail;
  const fromOffset = Math.max(low, toOffset - slice);
  const found: PlacedCall[] = [];
  const take = async (record: RawRecord, value: Buffer): Promise<void> => {
    const call = await decodedIfReadable(serde, topic, value);
    if (call !== undefined) found.push({ place: placeOf(record), call });
  };
  const onRecord = (record: RawRecord): Promise<void> | undefined => {
    const { key, timestampMs, value } = record;
    tail.oldestMs = Math.min(tail.oldestMs, timestampMs);
    return value !== null && key?.startsWith(`${sourceId}:`) === true ? take(record, value) : undefined;
  };
  await kafka.readRange({ topic: topic.name, partition, fromOffset, toOffset, signal, onRecord });
  tail.next = fromOffset;
  return found;
}
