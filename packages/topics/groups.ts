// Consumer groups of one deployment: nothing else in the code names one.
import type { ServiceName } from "#contract";

/** A consumer group. */
export interface ConsumerGroup {
  readonly id: string;
  /** Whose processes are its members. */
  readonly service: ServiceName;
  /** Who else asks how far it has come. */
  readonly watchedBy?: readonly ServiceName[];
}

type GroupName =
  | "webhookRouter"
  | "deliverer"
  | "keying"
  | "profiles"
  | "connectionSyncs"
  | "imports"
  | "replays"
  | "health"
  | "operationalEvents"
  | "regulations";

/** `prefix` is that of the topics, so that several deployments can share a cluster. */
export function consumerGroups(prefix: string): Readonly<Record<GroupName, ConsumerGroup>> {
  return {
    webhookRouter: { id: `${prefix}webhook-router`, service: "webhook-router", watchedBy: ["control"] },
    /** What it has not committed waits, or is under way. */
    deliverer: { id: `${prefix}deliverer`, service: "deliverer", watchedBy: ["control"] },
    keying: { id: `${prefix}audience-processor-calls`, service: "audience-processor" },
    /** Folds profile-events: what it has committed is in the profiles. */
    profiles: { id: `${prefix}audience-processor`, service: "audience-processor", watchedBy: ["control"] },
    connectionSyncs: { id: `${prefix}control-connection-syncs`, service: "control" },
    imports: { id: `${prefix}control-imports`, service: "control" },
    replays: { id: `${prefix}control-replays`, service: "control" },
    health: { id: `${prefix}control-health`, service: "control" },
    operationalEvents: { id: `${prefix}control-events`, service: "control" },
    regulations: { id: `${prefix}control-regulations`, service: "control" },
  };
}
