import { formatDuration, parseDuration } from "#contract";
import { type AudienceTopics, audienceTopics } from "./audience-topics.ts";
import { type RegulationTopics, regulationTopics } from "./regulation-topics.ts";
import { KEPT_MS } from "./retention.ts";
import { COMPACT, keptFor, type Topic } from "./topic.ts";

/** A topic in which jobs wait for one fixed time, so that each partition is first in, first out by due time. */
export interface RetryTopic extends Topic<"delivery-job"> {
  readonly delayMs: number;
}

/** Every topic of one deployment: nothing else in the code names a topic. */
export interface TopicMap extends AudienceTopics, RegulationTopics {
  readonly calls: Topic<"call">;
  readonly sourceConfig: Topic<"source-config">;
  readonly destinationConfig: Topic<"destination-config">;
  readonly deliveryJobs: Topic<"delivery-job">;
  /** Shortest delay first. */
  readonly deliveryRetries: readonly RetryTopic[];
  readonly deliveryWakes: Topic<"delivery-wake">;
  /** What is asked of waiting calls, and how far it is done (decision 72). */
  readonly retryRequests: Topic<"retry-request">;
  readonly deliveryAttempts: Topic<"delivery-attempt">;
  readonly deliveryTotals: Topic<"delivery-total">;
  readonly deadLetters: Topic<"dead-letter">;
  /** Which endpoints deliverers do not ask, and until when (decision 15). */
  readonly endpointBreakers: Topic<"endpoint-breaker">;
  /** What the router made of each call, if it is asked to say so (decision 95). */
  readonly routedCalls: Topic<"routed-call">;
  /** What ingest did not take, for whoever watches (decision 81). */
  readonly refusedCalls: Topic<"refused-calls">;
  /** What became of requests that may come again (decision 83). */
  readonly requestKeys: Topic<"request-key">;
  /** Who has changed what. */
  readonly auditLog: Topic<"audit-entry">;
  readonly replays: Topic<"replay">;
  readonly destinationHealth: Topic<"destination-health">;
  readonly operationalEvents: Topic<"operational-event">;
}

export interface TopicMapOptions {
  /** Put before every name, so that several deployments or tests can share a cluster; "" for none. */
  readonly prefix: string;
  /** Delays of the retry topics in milliseconds, shortest first, each once (contract 3.5). */
  readonly retryDelaysMs: readonly number[];
  /** How far a new audience can look back; 90 days by default. */
  readonly profileEventsKeptMs?: number;
}

type ConfigurationTopics = Pick<
  TopicMap,
  "sourceConfig" | "destinationConfig" | "requestKeys" | "auditLog" | "replays"
>;
type JobTopics = Pick<
  TopicMap,
  "calls" | "deliveryJobs" | "deliveryRetries" | "deliveryWakes" | "retryRequests"
>;
type OutcomeTopics = Pick<
  TopicMap,
  "routedCalls" | "deliveryAttempts" | "deliveryTotals" | "deadLetters" | "refusedCalls"
>;
type HealthTopics = Pick<TopicMap, "endpointBreakers" | "destinationHealth" | "operationalEvents">;

/** Builds the map for one deployment. */
export function topicMap(options: TopicMapOptions): TopicMap {
  return {
    ...jobTopics(options),
    ...outcomeTopics(options),
    ...healthTopics(options),
    ...configurationTopics(options),
    ...audienceTopics(options),
    ...regulationTopics(options),
  };
}

/**
 * The other way round, of topics that are there: those in which jobs may wait for a delay that is configured no more, because
 * it was removed or renamed. Shortest delay first.
 */
export function leftoverRetryTopics(
  { prefix, retryDelaysMs }: TopicMapOptions,
  names: readonly string[],
): RetryTopic[] {
  const own = new Set(retryDelaysMs.map((delayMs) => retryTopic(prefix, delayMs).name));
  return names
    .filter((name) => !own.has(name))
    .flatMap((name) => {
      const delayMs = delayOf(prefix, name);
      return delayMs === undefined ? [] : [waitingTopic(name, delayMs)];
    })
    .toSorted((a, b) => a.delayMs - b.delayMs);
}

function delayOf(prefix: string, name: string): number | undefined {
  const start = retryTopicPrefix(prefix);
  return name.startsWith(start) ? parseDuration(name.slice(start.length)) : undefined;
}

/** The way of a call. */
function jobTopics({ prefix, retryDelaysMs }: TopicMapOptions): JobTopics {
  return {
    calls: {
      name: `${prefix}calls`,
      key: "sourceId:userId, or sourceId:anonymousId",
      record: "call",
      cleanup: keptFor(KEPT_MS.calls),
      writtenBy: ["ingest", "audience-processor", "control"],
      readBy: ["webhook-router", "audience-processor", "control"],
    },
    deliveryJobs: {
      name: `${prefix}delivery-jobs`,
      key: "destinationId:shard",
      record: "delivery-job",
      cleanup: keptFor(KEPT_MS.deliveryJobs),
      writtenBy: ["webhook-router", "control"],
      readBy: ["deliverer", "control"],
    },
    deliveryRetries: retryDelaysMs.map((delayMs) => retryTopic(prefix, delayMs)),
    deliveryWakes: {
      name: `${prefix}delivery-wakes`,
      key: "destinationId:topic:partition",
      record: "delivery-wake",
      cleanup: COMPACT,
      writtenBy: ["deliverer"],
      readBy: ["deliverer", "control"],
    },
    retryRequests: {
      name: `${prefix}retry-requests`,
      key: "destinationId",
      record: "retry-request",
      cleanup: keptFor(KEPT_MS.retryRequests),
      writtenBy: ["deliverer", "control"],
      readBy: ["deliverer", "control"],
    },
  };
}

/** How the names of all retry topics begin. */
export function retryTopicPrefix(prefix: string): string {
  return `${prefix}delivery-retry-`;
}

/** Throws for a delay that a record would not outlive. */
function retryTopic(prefix: string, delayMs: number): RetryTopic {
  if (delayMs >= KEPT_MS.deliveryJobs) {
    const limits = `a retry delay of ${formatDuration(delayMs, "h")} must be shorter than the ${formatDuration(KEPT_MS.deliveryJobs, "h")} that its topic keeps records`;
    throw new RangeError(`HOOKLINE_RETRY_DELAYS: ${limits}`);
  }
  return waitingTopic(`${retryTopicPrefix(prefix)}${formatDuration(delayMs, "h")}`, delayMs);
}

function waitingTopic(name: string, delayMs: number): RetryTopic {
  return {
    name,
    key: "destinationId:shard",
    record: "delivery-job",
    cleanup: keptFor(KEPT_MS.deliveryJobs),
    writtenBy: ["deliverer"],
    readBy: ["deliverer", "control"],
    delayMs,
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
  };
}

/** How destinations are, and what is reported to the operator. */
function healthTopics({ prefix }: TopicMapOptions): HealthTopics {
  return {
    endpointBreakers: {
      name: `${prefix}endpoint-breakers`,
      key: "hash of the URL",
      record: "endpoint-breaker",
      cleanup: keptFor(KEPT_MS.endpointBreakers),
      writtenBy: ["deliverer"],
      readBy: ["control"],
    },
    destinationHealth: {
      name: `${prefix}destination-health`,
      key: "destinationId",
      record: "destination-health",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["control"],
    },
    operationalEvents: {
      name: `${prefix}operational-events`,
      key: "destinationId",
      record: "operational-event",
      cleanup: keptFor(KEPT_MS.operationalEvents),
      writtenBy: ["control"],
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
