import type { Kafka, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { DeadLetter, RecordTypes, Topic } from "#topics";
import { placeOf, spotOf } from "./places.ts";
import { decodedIfReadable } from "./undecodable.ts";

export interface PlaceReader<V> {
  /** Those of the places, in ascending order, that are still in the topic and can be read; by place. */
  read(places: readonly number[], signal: AbortSignal): Promise<Map<number, V>>;
}

export type DeadLetterReader = PlaceReader<DeadLetter>;

export interface ReaderOptions<R extends keyof RecordTypes> {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly serde: Pick<Serde, "decode">;
  readonly topic: Topic<R>;
}

/** Reading on over so many records that are not asked for costs less than asking again. */
const SKIP_RECORDS = 50;

/** Reads records whole of which only the place is known: an index of dead letters has neither bodies nor outcomes. */
export function createPlaceReader<R extends keyof RecordTypes>({
  kafka,
  serde,
  topic,
}: ReaderOptions<R>): PlaceReader<RecordTypes[R]> {
  return {
    async read(places, signal) {
      const wanted = new Set(places);
      const found = new Map<number, RecordTypes[R]>();
      const onRecord = async (record: RawRecord): Promise<void> => {
        const place = placeOf(record);
        if (record.value === null || !wanted.has(place)) return;
        // It was in the index, so it could be read; should that have changed, it is as good as gone.
        const letter = await decodedIfReadable(serde, topic, record.value);
        if (letter !== undefined) found.set(place, letter);
      };
      for (const { first, last } of runsOf(places)) {
        const { partition, offset: fromOffset } = spotOf(first);
        const toOffset = spotOf(last).offset + 1;
        await kafka.readRange({ topic: topic.name, partition, fromOffset, toOffset, onRecord, signal });
      }
      return found;
    },
  };
}

/** Stretches of places that are near to each other; across partitions they never are. */
function runsOf(places: readonly number[]): { readonly first: number; readonly last: number }[] {
  const runs: { first: number; last: number }[] = [];
  for (const place of places) {
    const run = runs.at(-1);
    if (run !== undefined && place - run.last <= SKIP_RECORDS) run.last = place;
    else runs.push({ first: place, last: place });
  }
  return runs;
}
