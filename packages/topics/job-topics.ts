// Topics of a call's way to its webhooks, those in which jobs wait included.
import { formatDuration, parseDuration } from "#contract";
import { KEPT_MS } from "./retention.ts";
import { COMPACT, keptFor, type Topic, topic } from "./topic.ts";

/** A topic in which jobs wait for one fixed time, so that each partition is first in, first out by due time. */
export interface RetryTopic extends Topic<"delivery-job"> {
  readonly delayMs: number;
}

export interface JobTopicsOptions {
  /** Put before every name, so that several deployments or tests can share a cluster; "" for none. */
  readonly prefix: string;
  /** Delays of the retry topics in milliseconds, shortest first, each once (contract 3.5). */
  readonly retryDelaysMs: readonly number[];
}

/** The way of a call. */
export function jobTopics({ prefix, retryDelaysMs }: JobTopicsOptions) {
  return {
    calls: topic({
      name: `${prefix}calls`,
      key: "sourceId:userId, or sourceId:anonymousId",
      record: "call",
      cleanup: keptFor(KEPT_MS.calls),
      writtenBy: ["ingest", "audience-processor", "control"],
      readBy: ["webhook-router", "audience-processor", "control"],
    }),
    deliveryJobs: topic({
      name: `${prefix}delivery-jobs`,
      key: "destinationId:shard",
      record: "delivery-job",
      cleanup: keptFor(KEPT_MS.deliveryJobs),
      writtenBy: ["webhook-router", "control"],
      readBy: ["deliverer", "control"],
    }),
    /** Shortest delay first. */
    deliveryRetries: retryDelaysMs.map((delayMs) => retryTopic(prefix, delayMs)),
    deliveryWakes: topic({
      name: `${prefix}delivery-wakes`,
      key: "destinationId:topic:partition",
      record: "delivery-wake",
      cleanup: COMPACT,
      writtenBy: ["deliverer"],
      readBy: ["deliverer", "control"],
    }),
    /** What is asked of waiting calls, and how far it is done (decision 72). */
    retryRequests: topic({
      name: `${prefix}retry-requests`,
      key: "destinationId",
      record: "retry-request",
      cleanup: keptFor(KEPT_MS.retryRequests),
      writtenBy: ["deliverer", "control"],
      readBy: ["deliverer", "control"],
    }),
  };
}

/**
 * The other way round, of topics that are there: those in which jobs may wait for a delay that is configured no more, because
 * it was removed or renamed. Shortest delay first.
 */
export function leftoverRetryTopics(
  { prefix, retryDelaysMs }: JobTopicsOptions,
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
