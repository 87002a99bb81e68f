import { type Flip, identifyCall, messageIdOf, SPACE } from "#audiences";
import { deliveryJobId, SPACE_SOURCE, uuidV5 } from "#contract";
import type { OutgoingRecord } from "#kafka";
import type { Serde } from "#serde";
import { type DestinationConfig, deliveryKey, shardOf, shardWidthOf, type Topic, untriedJob } from "#topics";
import type { CurrentValue } from "./worker.ts";

/** Of corrections. */
const NAMESPACE = Buffer.from("0b6f3d0a5c1e4e52a7c4d1f0938e6b27", "hex");

/**
 * The job that the router would make for this destination of the call by which the value was sent to others: the same message id, so that
 * a receiver that has it knows it. That of a correction is another one, and always the same.
 */
export function syncJob(
  {
    serde,
    topic,
    nowMs,
  }: {
    readonly serde: Pick<Serde, "encode">;
    readonly topic: Topic<"delivery-job">;
    nowMs(): number;
  },
  { audience, incarnation, isCorrection, profileId, result }: CurrentValue,
  destination: DestinationConfig,
): OutgoingRecord {
  const { computationId, generation, seq, sinceMs, text } = result;
  const flip: Flip = { computationId, generation, seq, text, atMs: sinceMs };
  const context = {
    profile: { id: profileId, incarnation },
    computation: { id: audience.id, key: audience.key, definition: { kind: audience.kind } },
    space: SPACE,
  };
  const sentAs = messageIdOf(flip, context);
  const messageId = isCorrection ? uuidV5(NAMESPACE, JSON.stringify([destination.id, sentAs])) : sentAs;
  const call = identifyCall(flip, context, messageId);
  const job = untriedJob({
    jobId: deliveryJobId(messageId, destination.id, SPACE_SOURCE),
    destinationId: destination.id,
    shard: shardOf(call.userId ?? call.anonymousId ?? "", shardWidthOf(destination)),
    messageId,
    sourceId: SPACE_SOURCE,
    type: call.type,
    // When the way to this destination began: its latency is measured from there.
    receivedAtMs: nowMs(),
    replayId: null,
    body: Buffer.from(call.body),
  });
  return { topic: topic.name, key: deliveryKey(job), value: serde.encode(topic, job) };
}
