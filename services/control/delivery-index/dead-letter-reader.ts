// Dead letters whole, with body and outcomes: the index only knows where they stand.
import type { Kafka, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { DeadLetter, Topic } from "#topics";
import { placeOf, spotOf } from "./places.ts";
import { isUndecodable } from "./undecodable.ts";

export interface DeadLetterReader {
  /** Those of the places, in ascending order, that are still in the topic and can be read; by place. */
  read(places: readonly number[], signal: AbortSignal): Promise<Map<number, DeadLetter>>;
}

export interface ReaderOptions {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly serde: Pick<Serde, "decode">;
  readonly topic: Topic<"dead-letter">;
}

/** Reading on over so many records that are not asked for costs less than asking again. */
const SKIP_RECORDS = 50;

export function createDeadLetterReader({ kafka, serde, topic }: ReaderOptions): DeadLetterReader {
  return {
    async read(places, signal) {
      const wanted = new Set(places);
      const found = new Map<number, DeadLetter>();
      const onRecord = async (record: RawRecord): Promise<void> => {
        const place = placeOf(record);
        if (record.value === null || !wanted.has(place)) return;
        const letter = await decoded(record.value);
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

  /** It was in the index, so it could be read; should that have changed, it is as good as gone. */
  async function decoded(value: Buffer): Promise<DeadLetter | undefined> {
    try {
      return await serde.decode(topic, value);
    } catch (error) {
      if (isUndecodable(error)) return undefined;
      throw error;
    }
  }
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
