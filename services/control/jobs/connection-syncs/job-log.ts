// Where jobs of a destination stand in the log of jobs: what the router has written before a call of ours, and what behind it.
import { type Admin, type Kafka, partitionOfKey, type RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { Topic } from "#topics";
import type { Spot } from "../../records/places/places.ts";
import { isUndecodable } from "../../records/places/undecodable.ts";
import { isOfDestination } from "../replays/call-selection.ts";

/** Where each partition ended, by its number. */
export type JobEnds = ReadonlyMap<number, number>;

interface JobsAsked {
  readonly from: JobEnds;
  readonly destinationId: string;
  /** Keys of the records that are looked for. */
  readonly keys: readonly string[];
  readonly signal: AbortSignal;
}

export interface JobLog {
  ends(): Promise<JobEnds>;
  /** The last place of each message id of the destination, from those ends to where the log ends now. */
  placesSince(asked: JobsAsked): Promise<ReadonlyMap<string, Spot>>;
}

interface JobLogParts {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Pick<Admin, "offsets">;
  readonly serde: Pick<Serde, "decodeFields">;
  readonly topic: Topic<"delivery-job">;
}

export function createJobLog({ admin, kafka, serde, topic }: JobLogParts): JobLog {
  const decode = serde.decodeFields(topic, ["messageId"]);
  const ends = async (): Promise<JobEnds> =>
    new Map((await admin.offsets(topic.name)).map(({ high, partition }) => [partition, high]));
  return {
    ends,
    async placesSince({ from, destinationId, keys, signal }) {
      const places = new Map<string, Spot>();
      const take = async ({ offset, partition, value }: RawRecord): Promise<void> => {
        try {
          places.set((await decode(value)).messageId, { partition, offset });
        } catch (error) {
          // Deliverers could not read it either.
          if (!isUndecodable(error)) throw error;
        }
      };
      const now = await ends();
      for (const partition of new Set(keys.map((key) => partitionOfKey(key, now.size))))
        await kafka.readRange({
          topic: topic.name,
          partition,
          fromOffset: from.get(partition) ?? 0,
          toOffset: now.get(partition) ?? 0,
          signal,
          onRecord: (record) => (isOfDestination(destinationId, record) ? take(record) : undefined),
        });
      return places;
    },
  };
}

/** Whether a call stands before the one that is older than it, so that a receiver takes the older one for the last word. */
export function isOvertaken(
  places: ReadonlyMap<string, Spot>,
  { older, newer }: { readonly older: string; readonly newer: string },
): boolean {
  const [one, other] = [places.get(older), places.get(newer)];
  // What the router has not written yet comes behind. What was not written, as a filter held it back or somebody died, overtakes nothing.
  if (one === undefined || other === undefined) return false;
  return one.partition !== other.partition || other.offset < one.offset;
}
