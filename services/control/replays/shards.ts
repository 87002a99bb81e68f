import { type DestinationConfig, shardWidthOf } from "#topics";
import { shardsToRead } from "../waiting/reader.ts";

/** How many shards the jobs of a destination may be in; of one that was deleted, as many as are usual. */
export function shardsOf(destination: DestinationConfig | undefined): number {
  return shardsToRead(destination === undefined ? 0 : shardWidthOf(destination));
}
