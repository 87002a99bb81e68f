import { type AudienceTopics, audienceTopics } from "./audience-topics.ts";
import { type HealthTopics, healthTopics } from "./health-topics.ts";
import { type JobTopics, type JobTopicsOptions, jobTopics } from "./job-topics.ts";
import { type RegulationTopics, regulationTopics } from "./regulation-topics.ts";
import { KEPT_MS } from "./retention.ts";
import { type StatsTopics, statsTopics } from "./stats-topics.ts";
import { COMPACT, keptFor, type Topic } from "./topic.ts";

/** Every topic of one deployment: nothing else in the code names a topic. */
export interface TopicMap extends AudienceTopics, HealthTopics, JobTopics, RegulationTopics, StatsTopics {
  readonly sourceConfig: Topic<"source-config">;
  readonly destinationConfig: Topic<"destination-config">;
  readonly deliveryAttempts: Topic<"delivery-attempt">;
  readonly deliveryTotals: Topic<"delivery-total">;
  readonly deadLetters: Topic<"dead-letter">;
  /** What the router made of each call, if it is asked to say so (decision 95). */
  readonly routedCalls: Topic<"routed-call">;
  /** What ingest did not take, for whoever watches (decision 81). */
  readonly refusedCalls: Topic<"refused-calls">;
  /** When calls came last with write keys that another one replaces. */
  readonly formerKeyUses: Topic<"former-key-use">;
  /** What became of requests that may come again (decision 83). */
  readonly requestKeys: Topic<"request-key">;
  /** Who has changed what. */
  readonly auditLog: Topic<"audit-entry">;
  readonly replays: Topic<"replay">;
}

export interface TopicMapOptions extends JobTopicsOptions {
  /** How far a new audience can look back; 90 days by default. */
  readonly profileEventsKeptMs?: number;
}

type ConfigurationTopics = Pick<
  TopicMap,
  "sourceConfig" | "destinationConfig" | "requestKeys" | "auditLog" | "replays"
>;
type OutcomeTopics = Pick<
  TopicMap,
  "routedCalls" | "deliveryAttempts" | "deliveryTotals" | "deadLetters" | "refusedCalls" | "formerKeyUses"
>;

/** Builds the map for one deployment. */
export function topicMap(options: TopicMapOptions): TopicMap {
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
function outcomeTopics({ prefix }: TopicMapOptions): OutcomeTopics {
  return {
    routedCalls: {
      name: `${prefix}routed-calls`,
      key: "sourceId, messageId and user",
      record: "routed-call",
      cleanup: keptFor(KEPT_MS.routedCalls),
      writtenBy: ["webhook-router"],
      readBy: ["control"],
    },
    deliveryAttempts: {
      name: `${prefix}delivery-attempts`,
      key: "destinationId",
      record: "delivery-attempt",
      cleanup: keptFor(KEPT_MS.deliveryAttempts),
      writtenBy: ["deliverer"],
      readBy: ["control"],
    },
    deliveryTotals: {
      name: `${prefix}delivery-totals`,
      key: "destinationId",
      record: "delivery-total",
      cleanup: keptFor(KEPT_MS.deliveryTotals),
      writtenBy: ["deliverer"],
      readBy: ["control"],
    },
    deadLetters: {
      name: `${prefix}dead-letters`,
      key: "destinationId, or none for a record that could not be read",
      record: "dead-letter",
      cleanup: keptFor(KEPT_MS.deadLetters),
      writtenBy: ["webhook-router", "deliverer", "audience-processor"],
      readBy: ["control"],
    },
    refusedCalls: {
      name: `${prefix}refused-calls`,
      key: "sourceId",
      record: "refused-calls",
      cleanup: keptFor(KEPT_MS.refusedCalls),
      writtenBy: ["ingest"],
      readBy: ["control"],
    },
    formerKeyUses: {
      name: `${prefix}former-key-uses`,
      key: "sourceId:write key",
      record: "former-key-use",
      cleanup: COMPACT,
      writtenBy: ["ingest"],
      readBy: ["control"],
    },
  };
}

/** What people have asked for. */
function configurationTopics({ prefix }: TopicMapOptions): ConfigurationTopics {
  return {
    sourceConfig: {
      name: `${prefix}source-config`,
      key: "sourceId",
      record: "source-config",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["ingest", "control"],
    },
    destinationConfig: {
      name: `${prefix}destination-config`,
      key: "destinationId",
      record: "destination-config",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["webhook-router", "deliverer", "control"],
    },
    requestKeys: {
      name: `${prefix}request-keys`,
      key: "hash of the token's name, the path and the key",
      record: "request-key",
      cleanup: keptFor(KEPT_MS.requestKeys),
      writtenBy: ["control"],
      readBy: ["control"],
    },
    auditLog: {
      name: `${prefix}audit-log`,
      key: "id of the entry",
      record: "audit-entry",
      cleanup: keptFor(KEPT_MS.auditLog),
      writtenBy: ["control"],
      readBy: ["control"],
    },
    replays: {
      name: `${prefix}replays`,
      key: "replayId",
      record: "replay",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["control"],
    },
  };
}

/** Every topic of the map, flat. */
export function allTopics(map: TopicMap): Topic[] {
  const { deliveryRetries, ...single } = map;
  return [...Object.values(single), ...deliveryRetries];
}
