import { audienceTopics } from "./audience-topics.ts";
import { healthTopics } from "./health-topics.ts";
import { type JobTopicsOptions, jobTopics } from "./job-topics.ts";
import { regulationTopics } from "./regulation-topics.ts";
import { KEPT_MS } from "./retention.ts";
import { statsTopics } from "./stats-topics.ts";
import { COMPACT, keptFor, type Topic, topic } from "./topic.ts";

/** Every topic of one deployment: nothing else in the code names a topic. */
export type TopicMap = Readonly<ReturnType<typeof topicMap>>;

export interface TopicMapOptions extends JobTopicsOptions {
  /** How far a new audience can look back; 90 days by default. */
  readonly profileEventsKeptMs?: number;
}

/** Builds the map for one deployment. */
export function topicMap(options: TopicMapOptions) {
  return {
    ...jobTopics(options),
    ...outcomeTopics(options),
    ...healthTopics(options),
    ...configurationTopics(options),
    ...audienceTopics(options),
    ...regulationTopics(options),
    ...statsTopics(options),
  };
}

/** What became of calls. */
function outcomeTopics({ prefix }: TopicMapOptions) {
  return {
    /** What the router made of each call, if it is asked to say so (decision 95). */
    routedCalls: topic({
      name: `${prefix}routed-calls`,
      key: "sourceId, messageId and user",
      record: "routed-call",
      cleanup: keptFor(KEPT_MS.routedCalls),
      writtenBy: ["webhook-router"],
      readBy: ["control"],
    }),
    deliveryAttempts: topic({
      name: `${prefix}delivery-attempts`,
      key: "destinationId",
      record: "delivery-attempt",
      cleanup: keptFor(KEPT_MS.deliveryAttempts),
      writtenBy: ["deliverer"],
      readBy: ["control"],
    }),
    deliveryTotals: topic({
      name: `${prefix}delivery-totals`,
      key: "destinationId",
      record: "delivery-total",
      cleanup: keptFor(KEPT_MS.deliveryTotals),
      writtenBy: ["deliverer"],
      readBy: ["control"],
    }),
    deadLetters: topic({
      name: `${prefix}dead-letters`,
      key: "destinationId, or none: a record could not be read, or its partition did not take it",
      record: "dead-letter",
      cleanup: keptFor(KEPT_MS.deadLetters),
      writtenBy: ["webhook-router", "deliverer", "audience-processor"],
      readBy: ["control"],
    }),
    /** What ingest did not take, for whoever watches (decision 81). */
    refusedCalls: topic({
      name: `${prefix}refused-calls`,
      key: "sourceId",
      record: "refused-calls",
      cleanup: keptFor(KEPT_MS.refusedCalls),
      writtenBy: ["ingest"],
      readBy: ["control"],
    }),
    /** When calls came last with write keys that another one replaces. */
    formerKeyUses: topic({
      name: `${prefix}former-key-uses`,
      key: "sourceId:write key",
      record: "former-key-use",
      cleanup: COMPACT,
      writtenBy: ["ingest"],
      readBy: ["control"],
    }),
  };
}

/** What people have asked for. */
function configurationTopics({ prefix }: TopicMapOptions) {
  return {
    sourceConfig: topic({
      name: `${prefix}source-config`,
      key: "sourceId",
      record: "source-config",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["ingest", "control"],
    }),
    destinationConfig: topic({
      name: `${prefix}destination-config`,
      key: "destinationId",
      record: "destination-config",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["webhook-router", "deliverer", "control"],
    }),
    /** What became of requests that may come again (decision 83). */
    requestKeys: topic({
      name: `${prefix}request-keys`,
      key: "hash of the token's name, the path and the key",
      record: "request-key",
      cleanup: keptFor(KEPT_MS.requestKeys),
      writtenBy: ["control"],
      readBy: ["control"],
    }),
    /** Who has changed what. */
    auditLog: topic({
      name: `${prefix}audit-log`,
      key: "id of the entry",
      record: "audit-entry",
      cleanup: keptFor(KEPT_MS.auditLog),
      writtenBy: ["control"],
      readBy: ["control"],
    }),
    replays: topic({
      name: `${prefix}replays`,
      key: "replayId",
      record: "replay",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["control"],
    }),
  };
}

/** Every topic of the map, flat. */
export function allTopics(map: TopicMap): Topic[] {
  const { deliveryRetries, ...single } = map;
  return [...Object.values(single), ...deliveryRetries];
}
