import type { TopicPartition } from "./types.ts";

/** One string per partition, for maps. A topic's name cannot hold a slash. */
export function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
