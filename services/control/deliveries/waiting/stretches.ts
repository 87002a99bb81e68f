// Where waiting jobs stand in Kafka now: the parts of delivery-jobs and of the retry topics that deliverers have not committed.
import type { Admin, CommittedPlace, Kafka } from "#kafka";
import type { Serde } from "#serde";
import type { TopicMap } from "#topics";
import { type DestinationIds, readWakes, type Wakes } from "./wakes.ts";

/** Where a waiting job stands. `topic` counts delivery-jobs and then the retry topics, shortest delay first. */
export interface WaitingPlace {
  readonly topic: number;
  readonly partition: number;
  readonly offset: number;
}

/** Where jobs wait, and how far the deliverers are. */
export interface WaitingTopics {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Pick<Admin, "offsets" | "committedPlaces" | "partitionCount">;
  readonly serde: Pick<Serde, "decode">;
  readonly topics: Pick<TopicMap, "deliveryJobs" | "deliveryRetries" | "deliveryWakes">;
  /** The deliverers'. */
  readonly groupId: string;
}

/** One partition of one topic, as far as it is to be read. */
export interface Stretch {
  readonly place: WaitingPlace;
  readonly topicName: string;
  readonly toOffset: number;
  /** What the deliverers have done behind their place. */
  readonly isDone: CommittedPlace["isDone"];
}

interface Asked {
  readonly destinationIds: DestinationIds;
  /** Only behind this place. */
  readonly after: WaitingPlace | undefined;
}

interface Look {
  readonly wakes: Wakes;
  /** Those with something in them. */
  readonly stretches: readonly Stretch[];
}

/**
 * Every partition is read: a destination may have had more shards than now when a job was written. The ends are looked at last: a job that
 * a deliverer has written to another topic, and then committed or woken here, stands before them there. The other way round one that
 * moves meanwhile would be in neither.
 */
export async function lookAtStretches(options: WaitingTopics, asked: Asked): Promise<Look> {
  const { admin, groupId, topics } = options;
  const names = [topics.deliveryJobs, ...topics.deliveryRetries].map(({ name }) => name);
  const [wakes, committed] = await Promise.all([
    readWakes(options, asked.destinationIds),
    Promise.all(names.map((name) => admin.committedPlaces(groupId, name))),
  ]);
  const read = names.map((topicName, topic) => ({
    topicName,
    committed: committed[topic] ?? new Map<number, CommittedPlace>(),
  }));
  return { wakes, stretches: await stretchesOf(options, asked, read) };
}

interface ReadTopic {
  readonly topicName: string;
  readonly committed: ReadonlyMap<number, CommittedPlace>;
}

const NOTHING_DONE: CommittedPlace = { offset: 0, isDone: () => false };

async function stretchesOf(
  { admin }: WaitingTopics,
  { after }: Asked,
  read: readonly ReadTopic[],
): Promise<Stretch[]> {
  const found = await Promise.all(
    read.map(async ({ committed, topicName }, topic) => {
      const offsets = await admin.offsets(topicName);
      return offsets
        .toSorted((one, other) => one.partition - other.partition)
        .map(({ partition, low, high }): Stretch => {
          const { isDone, offset } = committed.get(partition) ?? NOTHING_DONE;
          const place = { topic, partition, offset: Math.max(low, offset) };
          return { place, topicName, toOffset: high, isDone };
        });
    }),
  );
  return found.flat().flatMap((stretch) => behind(stretch, after));
}

/** What of it lies behind a place; nothing when all of it was read. */
function behind(stretch: Stretch, after: WaitingPlace | undefined): Stretch[] {
  const { place, toOffset } = stretch;
  const isSame = after?.topic === place.topic && after.partition === place.partition;
  const offset = isSame ? Math.max(place.offset, after.offset + 1) : place.offset;
  const isBefore =
    after !== undefined &&
    !isSame &&
    (place.topic < after.topic || (place.topic === after.topic && place.partition < after.partition));
  return isBefore || offset >= toOffset ? [] : [{ ...stretch, place: { ...place, offset } }];
}
