import type { Admin, Kafka, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { DeliveryWake, TopicMap } from "#topics";

type Taken = (record: Pick<RawRecord, "offset" | "timestampMs">) => boolean;

/** Which of the waiting jobs of destinations were taken ahead of their time already (decision 72). */
export interface Wakes {
  /** Of a destination in one partition; undefined where none were. */
  takenIn(destinationId: string, place: Pick<RawRecord, "topic" | "partition">): Taken | undefined;
}

interface WakesOptions {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Pick<Admin, "offsets">;
  readonly serde: Pick<Serde, "decode">;
  readonly topics: Pick<TopicMap, "deliveryWakes">;
}

/** A set of ids, or all that there are. */
export type DestinationIds = Pick<ReadonlySet<string>, "has">;

/** Of a key: destination, topic and partition with colons between them, of which the last two have none. */
function destinationOf(key: string): string {
  return key.slice(0, key.lastIndexOf(":", key.lastIndexOf(":") - 1));
}

/** The topic is compacted and its cursors are forgotten soon, so all of it is read. */
export async function readWakes(
  { admin, kafka, serde, topics }: WakesOptions,
  destinationIds: DestinationIds,
): Promise<Wakes> {
  const { deliveryWakes } = topics;
  const wakes = new Map<string, DeliveryWake>();
  const isMeant = (key: string): boolean => destinationIds.has(destinationOf(key));
  const partitions = await admin.offsets(deliveryWakes.name);
  await Promise.all(
    partitions
      .filter(({ low, high }) => low < high)
      .map(({ partition, low: fromOffset, high: toOffset }) =>
        kafka.readRange({
          topic: deliveryWakes.name,
          partition,
          fromOffset,
          toOffset,
          async onRecord({ key, value }) {
            if (key === null || !isMeant(key)) return;
            if (value === null) wakes.delete(key);
            else wakes.set(key, await serde.decode(deliveryWakes, value));
          },
        }),
      ),
  );
  return {
    takenIn(destinationId, { topic, partition }) {
      const wake = wakes.get(`${destinationId}:${topic}:${partition}`);
      return wake && (({ offset, timestampMs }) => offset < wake.belowOffset && timestampMs <= wake.atMs);
    },
  };
}
