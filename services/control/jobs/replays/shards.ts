import { DEFAULT_SHARD_WIDTH, type DestinationConfig, shardWidthOf } from "#topics";

/** How many shards the jobs of a destination may be in; of one that was deleted, as many as are usual. What was sent while it had more is missed. */
export function shardsOf(destination: DestinationConfig | undefined): number {
  return Math.max(destination === undefined ? 0 : shardWidthOf(destination), DEFAULT_SHARD_WIDTH);
}
