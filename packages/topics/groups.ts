// Consumer groups of one deployment: nothing else in the code names one.
import type { ServiceName } from "#contract";
import type { TopicMap } from "./map.ts";

/** A consumer group. */
export interface ConsumerGroup {
  readonly id: string;
  /** Whose processes are its members. */
  readonly service: ServiceName;
  /** Who else asks how far it has come. */
  readonly watchedBy?: readonly ServiceName[];
}

type GroupName = "webhookRouter" | "deliverer" | "keying" | "profiles" | "control";

/** `prefix` is that of the topics, so that several deployments can share a cluster. */
export function consumerGroups(prefix: string): Readonly<Record<GroupName, ConsumerGroup>> {
  return {
    webhookRouter: { id: `${prefix}webhook-router`, service: "webhook-router", watchedBy: ["control"] },
    /** What it has not committed waits, or is under way. */
    deliverer: { id: `${prefix}deliverer`, service: "deliverer", watchedBy: ["control"] },
    keying: { id: `${prefix}audience-processor-calls`, service: "audience-processor" },
    /** Folds profile-events: what it has committed is in the profiles. */
    profiles: { id: `${prefix}audience-processor`, service: "audience-processor", watchedBy: ["control"] },
    /** All work of control of which each record has one owner. */
    control: { id: `${prefix}control`, service: "control" },
  };
}

/**
 * By topic, the group in which control of the version before reads it. Control's group begins where these ended.
 */
export function formerControlGroups(prefix: string, topics: TopicMap): ReadonlyMap<string, string> {
  return new Map([
    [topics.destinationConfig.name, `${prefix}control-connection-syncs`],
    [topics.membershipImports.name, `${prefix}control-imports`],
    [topics.replays.name, `${prefix}control-replays`],
    [topics.deliveryAttempts.name, `${prefix}control-health`],
    [topics.deadLetters.name, `${prefix}control-health`],
    [topics.operationalEvents.name, `${prefix}control-events`],
    [topics.regulations.name, `${prefix}control-regulations`],
  ]);
}
