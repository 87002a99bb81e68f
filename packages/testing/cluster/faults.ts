import type { TopicPartition } from "#kafka";
import type { Refusal } from "./errors.ts";

/** What a process asks a broker for. */
export type Api =
  | "produce"
  | "producer_id"
  | "fetch"
  | "read"
  | "metadata"
  | "list_offsets"
  | "find_coordinator"
  | "join"
  | "sync"
  | "heartbeat"
  | "leave"
  | "commit"
  | "committed"
  | "admin";

/** One request, before it leaves its process. */
export interface ClusterRequest {
  readonly process: string;
  readonly api: Api;
  readonly broker: number;
  /** Of the requests that are a group's. */
  readonly groupId?: string;
  /** Of the requests that name partitions. */
  readonly partitions?: readonly TopicPartition[];
}

/**
 * What becomes of a request. Times are in ms; `answerMs` is how long the answer is on its way, one to four ms unless given. A lost
 * one is given up by its client after `noticedAfterMs`, the client's request timeout unless given.
 */
export type Decision =
  | { readonly kind: "pass"; readonly answerMs?: number }
  | { readonly kind: "delay"; readonly requestMs: number; readonly answerMs?: number }
  /** It never gets there: nothing is done. */
  | { readonly kind: "lose_request"; readonly noticedAfterMs?: number }
  /** It is done, and nobody is told. */
  | { readonly kind: "lose_answer"; readonly noticedAfterMs?: number }
  /** Of a produce request, only the partitions that `only` accepts; the others are written. */
  | { readonly kind: "refuse"; readonly error: Refusal; only?(partition: TopicPartition): boolean }
  /** Produce only: these partitions are neither written nor in the answer (fact 1). */
  | { readonly kind: "leave_out"; only(partition: TopicPartition): boolean };

/** Who decides; asked once for each request. */
export interface Faults {
  decide(request: ClusterRequest): Decision;
}

export const PASS: Decision = { kind: "pass" };

export const NO_FAULTS: Faults = { decide: () => PASS };
