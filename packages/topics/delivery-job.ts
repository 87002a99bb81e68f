import { deliveryJobId } from "#contract";
import { orderedBy, shardOf, shardWidthOf } from "./keys.ts";
import type { Call, DeliveryJob, DestinationConfig } from "./records.generated.ts";
import { untriedJob } from "./untried-job.ts";

/**
 * The same call and destination give the same job, byte for byte, whenever and wherever it is made: the deliverer
 * recognises one that a crash made twice (if the destination's width changed in between, in another process, which does not). One
 * user's calls share a shard, so they keep their order.
 */
export function deliveryJob(
  call: Call,
  destination: Parameters<typeof shardWidthOf>[0] & Pick<DestinationConfig, "id">,
): DeliveryJob {
  const destinationId = destination.id;
  const { messageId, sourceId, userId, anonymousId, type, receivedAtMs, body } = call;
  return untriedJob({
    jobId: deliveryJobId(call, destinationId),
    destinationId,
    shard: shardOf(orderedBy(call), shardWidthOf(destination)),
    messageId,
    sourceId,
    userId,
    anonymousId,
    type,
    receivedAtMs,
    replayId: null,
    body,
  });
}
