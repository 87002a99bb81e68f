import type { ServiceName } from "#contract";
import type { Script } from "#testing";
import type { AudienceConfig } from "#topics";

export interface ProcessPlan {
  readonly name: string;
  readonly service: ServiceName;
  readonly startMs: number;
  /** How far its clock is off, ms. */
  readonly skewMs: number;
}

export interface DestinationPlan {
  readonly id: string;
  readonly urls: readonly string[];
  readonly callTypes: readonly string[] | null;
  readonly maxRequestsPerSecond: number | null;
  readonly maxInFlight: number | null;
  readonly filter?: FilterPlan;
  /** Of its own retries, ms; undefined: the installation's. */
  readonly retryDelaysMs?: readonly number[];
  readonly retryWindowMs?: number;
  /** Undefined: before the first call. */
  readonly madeAtMs?: number;
  /** Undefined: that of the clients. */
  readonly sourceIds?: readonly string[];
  /** It is made switched off. */
  readonly isMadeOff?: boolean;
}

/** Conditions as a destination has them, and what they mean. */
export interface FilterPlan {
  readonly conditions: Readonly<Record<string, unknown>>;
  takes(call: CallPlan): boolean;
}

/** One call of a customer's user. Times are milliseconds from the beginning of the world, here as everywhere in a plan. */
export interface CallPlan {
  readonly messageId: string;
  readonly userId: string;
  readonly type: "track" | "identify" | "alias" | "group";
  /** What it says instead, ids included; undefined: as little as a call of `userId` can. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly atMs: number;
  /** The client sends it once more although it was told that it is stored. */
  readonly againAfterMs: number | undefined;
}

/** What somebody does to a destination's configuration. */
export interface Change {
  readonly id: string;
  readonly atMs: number;
  readonly destinationId: string;
  readonly to: "disabled" | "enabled" | "deleted" | "other_webhooks";
}

/** What somebody asks control for about a destination; the same person goes on asking until it is answered, and only then asks for the next thing. */
export type Wish = { readonly id: string; readonly atMs: number; readonly destinationId: string } & (
  | {
      /** It is resumed after this time, counted from the answer. */
      readonly kind: "pause";
      readonly forMs: number;
      /** How long each call may wait; undefined: as long as the window of retries. */
      readonly callsWaitForMs: number | undefined;
    }
  /** It is switched on again after this time. */
  | { readonly kind: "switch_off"; readonly forMs: number }
  /** It takes calls of audiences, too. */
  | { readonly kind: "connect" }
  /** It takes none of them any more; it does again after this time. */
  | { readonly kind: "disconnect"; readonly forMs: number }
  /** That its waiting calls are sent now: these, of this user, or all. */
  | { readonly kind: "retry"; readonly messageIds?: readonly string[]; readonly userId?: string }
  | { readonly kind: "delete" }
  /** It keeps only its first webhook. */
  | { readonly kind: "other_webhooks" }
);

/** What somebody writes of an audience: a new one, or the next version of one. */
export interface AudienceWrite {
  readonly id: string;
  readonly atMs: number;
  readonly config: AudienceConfig;
}

/** What somebody writes of one user: an import's row, a suppression or its end, or a deletion. */
export interface ProfileWrite {
  readonly id: string;
  readonly atMs: number;
  readonly userId: string;
  /** The list that the user is put on, or taken off. Without it and a suppression the user is deleted. */
  readonly list?: { readonly id: string; readonly isMember: boolean };
  /** In this source, null: in the workspace. */
  readonly suppression?: { readonly sourceId: string | null; readonly isSuppressed: boolean };
}

/** Which calls that were sent before somebody wants once more. */
export interface CallsAgain {
  readonly which: "delivered" | "dead" | "all";
  /** Of this user; undefined: of all. */
  readonly userId: string | undefined;
  /** Where they are sent; undefined: where they were. */
  readonly toDestinationId: string | undefined;
}

/** What somebody asks control for: to send dead letters of a destination again, or calls that it got. */
export interface ReplayPlan {
  readonly id: string;
  readonly atMs: number;
  readonly destinationId: string;
  /** So many by their ids, the oldest ones; undefined: all of the destination. */
  readonly letters: number | undefined;
  /** Only those that died at or after this time, of calls those that were accepted then; not with `letters`. */
  readonly sinceMs: number | undefined;
  readonly callsPerSecond: number | undefined;
  /** So long after it was asked for. */
  readonly cancelAfterMs: number | undefined;
  /** Undefined: dead letters are meant. */
  readonly calls?: CallsAgain;
}

/** A time in which a share of some requests to the cluster goes wrong. */
export interface RequestFault {
  readonly kind: "requests";
  /** `old_read`: what is read beside the group, far from the logs' ends, where a broker has to go to its disk. */
  readonly what: "produce" | "commit" | "group" | "read" | "old_read";
  readonly how: "lost" | "answer_lost" | "late" | "answer_late" | "refused" | "rejected" | "left_out";
  /** 0 to 1. */
  readonly share: number;
  /** The process whose requests they are; undefined: everybody's. */
  readonly only?: string | undefined;
}

/** What goes wrong. `target` is a process's name. */
export type FaultKind =
  /** kill -9 in front of the so-manieth thing that would happen to it. */
  | {
      readonly kind: "kill";
      readonly target: string;
      readonly afterEvents: number;
      readonly losesDisk: boolean;
    }
  /** The same, and of what it has written to its stores what was not flushed is gone. */
  | { readonly kind: "power"; readonly target: string; readonly afterEvents: number }
  | { readonly kind: "stop"; readonly target: string }
  | { readonly kind: "freeze"; readonly target: string }
  | { readonly kind: "cut"; readonly target: string }
  | { readonly kind: "clock"; readonly target: string; readonly byMs: number }
  | { readonly kind: "full_disk"; readonly target: string }
  | { readonly kind: "leaders" }
  | { readonly kind: "broker"; readonly broker: number }
  | { readonly kind: "registry" }
  /** The logs of one topic begin so many records before their ends. */
  | { readonly kind: "retention"; readonly topic: string; readonly keptRecords: number }
  /** The new leaders of one topic lack its newest records, so many of each partition. */
  | { readonly kind: "unclean_election"; readonly topic: string; readonly lostRecords: number }
  /** The group's new coordinator lacks its last commits, so many requests. */
  | { readonly kind: "lost_commits"; readonly groupId: string; readonly commits: number }
  /** Of every compacted topic. */
  | { readonly kind: "compaction" }
  | RequestFault;

/** What goes wrong, from when on, for how long; a killed or stopped process is started again at the end. */
export type Fault = FaultKind & { readonly id: string; readonly atMs: number; readonly forMs: number };

export interface Timing {
  readonly retryDelaysMs: readonly number[];
  readonly retryWindowMs: number;
  readonly dedupeWindowMs: number;
  /** No call is sent, nothing is changed and nothing goes wrong from here on. */
  readonly calmMs: number;
  /** Everything is through by then. */
  readonly endMs: number;
}

/** What somebody asks control for about users. */
export interface RegulationPlan {
  readonly id: string;
  readonly atMs: number;
  readonly type: "SUPPRESS_WITH_DELETE" | "SUPPRESS_ONLY" | "DELETE_ONLY";
  readonly userIds: readonly string[];
  /** null: in the workspace. */
  readonly sourceId: string | null;
  /** That a suppression ends is asked for so long after the answer. */
  readonly endsAfterMs: number | undefined;
}

/** A list that somebody uploads over the control API, who goes on until it is answered. */
export interface ImportPlan {
  readonly id: string;
  readonly atMs: number;
  readonly audienceId: string;
  /** The caller's own. Two uploads may have the same one. */
  readonly importId: string;
  readonly mode: "replace" | "add" | "remove";
  readonly userIds: readonly string[];
  readonly format: "csv" | "ndjson";
  /** All of it is refused. */
  readonly hasWrongRow: boolean;
  /** So long after it was seen to be held it is confirmed; undefined: never. */
  readonly confirmsAfterMs: number | undefined;
}

/** Of a world in which members are delivered. */
interface MembersPlan {
  /** HOOKLINE_CONNECTION_SYNC_RATE. */
  readonly syncCallsPerSecond: number;
  /** Ingest drops calls of suppressed users, as far as it knows; without it routers alone do. */
  readonly isIngestDropping: boolean;
  readonly regulations: readonly RegulationPlan[];
  readonly imports: readonly ImportPlan[];
  /** HOOKLINE_IMPORT_RATE; undefined: the product's own. */
  readonly importChangesPerSecond?: number;
  /** HOOKLINE_DELETED_AUDIENCE_RETENTION. */
  readonly deletedKeptMs: number;
}

/** All that a seed decides. */
export interface Plan {
  readonly seed: number;
  readonly brokers: number;
  readonly partitions: number;
  readonly timing: Timing;
  /** HOOKLINE_RECORDED_CALLS is all. */
  readonly recordsCalls: boolean;
  readonly processes: readonly ProcessPlan[];
  readonly destinations: readonly DestinationPlan[];
  readonly scripts: readonly Script[];
  readonly calls: readonly CallPlan[];
  readonly changes: readonly Change[];
  readonly wishes: readonly Wish[];
  readonly replays: readonly ReplayPlan[];
  readonly audiences: readonly AudienceWrite[];
  readonly profileWrites: readonly ProfileWrite[];
  readonly faults: readonly Fault[];
  /** HOOKLINE_ANONYMOUS_RETENTION; undefined: the product's own, which is longer than a world. */
  readonly anonymousRetentionMs?: number;
  /** Undefined: no control process has profiles, and nothing of what follows from them is asked of it. */
  readonly members?: MembersPlan;
}
