import {
  type Flip,
  type FlipContext,
  filterOf,
  messageIdOf,
  ownerOf,
  passesFilter,
  traitsCall,
} from "#audiences";
import { deliveryJobId, parseExactJson, SPACE_SOURCE, uuidV5 } from "#contract";
import type { OutgoingRecord } from "#kafka";
import type { Serde } from "#serde";
import {
  type ConnectionSync,
  type DestinationConfig,
  deliveryKey,
  orderedBy,
  shardOf,
  shardWidthOf,
  type Topic,
  untriedJob,
} from "#topics";
import type { CurrentValue } from "./values.ts";

/** Of corrections. */
const NAMESPACE = Buffer.from("0b6f3d0a5c1e4e52a7c4d1f0938e6b27", "hex");

function contextOf({ audience, incarnation, profileId }: CurrentValue): FlipContext {
  const { id, key, kind, name } = audience;
  return {
    profile: { id: profileId, incarnation },
    computation: { id, key, name, definition: { kind } },
  };
}

/** It is no change of now: there is no track call of it. */
function flipOf({ result, traits }: CurrentValue): Flip {
  const { computationId, generation, seq, sinceMs, text } = result;
  return { computationId, generation, seq, text, atMs: sinceMs, traits, isTracked: false };
}

/** The message id of the call by which the value was sent to others, or will be. */
export function sentAs(value: CurrentValue): string {
  return messageIdOf(value.result, contextOf(value));
}

/** Under which the destination is given the value: that of a correction is another one, and always the same. */
export function givenAs(value: CurrentValue, { id }: Pick<DestinationConfig, "id">): string {
  return value.isCorrection ? uuidV5(NAMESPACE, JSON.stringify([id, sentAs(value)])) : sentAs(value);
}

/** Of the job of the value, whether a filter holds that back or not. */
export function jobKeyOf(
  { profileId }: Pick<CurrentValue, "profileId">,
  destination: DestinationConfig,
): string {
  const owner = orderedBy({ userId: null, anonymousId: null, ...ownerOf(profileId) });
  const shard = shardOf(owner, shardWidthOf(destination));
  return deliveryKey({ destinationId: destination.id, shard });
}

/** Whom a sync gives what, and since when. */
export interface GivenTo {
  readonly destination: DestinationConfig;
  readonly sync: Pick<ConnectionSync, "createdAtMs">;
}

/**
 * The job that the router would make for this destination of the call by which the value was sent to others; undefined when the
 * destination takes no calls of its type, or its filter does not let it pass. Of a value that is older than the connection it is another
 * job in each sync, or deliverers would take it for the one of the last sync; a newer one is the router's own, which sends it too.
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
  value: CurrentValue,
  { destination, sync }: GivenTo,
): OutgoingRecord | undefined {
  const messageId = givenAs(value, destination);
  const call = traitsCall(flipOf(value), contextOf(value), messageId);
  if (destination.callTypes?.includes(call.type) === false) return undefined;
  const filter = filterOf(destination);
  if (filter !== undefined && !passesFilter(filter, parseExactJson(call.body))) return undefined;
  const job = untriedJob({
    jobId: deliveryJobId(
      { ...call, messageId, sourceId: SPACE_SOURCE },
      destination.id,
      value.result.sinceMs < sync.createdAtMs ? sync.createdAtMs : undefined,
    ),
    destinationId: destination.id,
    shard: shardOf(orderedBy(call), shardWidthOf(destination)),
    messageId,
    sourceId: SPACE_SOURCE,
    userId: call.userId,
    anonymousId: call.anonymousId,
    type: call.type,
    // When the way to this destination began: its latency is measured from there.
    receivedAtMs: nowMs(),
    replayId: null,
    body: Buffer.from(call.body),
  });
  return { topic: topic.name, key: deliveryKey(job), value: serde.encode(topic, job) };
}
