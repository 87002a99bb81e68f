// What the main thread and a thread with a share of the recorded calls say to each other.
import type { KafkaSettings } from "#kafka";
import type { TopicMapOptions } from "#topics";
import type { Reached } from "./progress.ts";
import type { AskedName } from "./share.ts";

/** Secrets of the connection among it: handed over in memory, and never logged. */
export interface ShareData {
  readonly kafka: KafkaSettings;
  /** With the registry's credentials. */
  readonly registryUrl: string;
  readonly topics: TopicMapOptions;
  readonly folder: string;
  /** The name of its file. */
  readonly name: string;
  /** Its number, from 0 on. */
  readonly share: number;
  readonly shares: number;
  readonly maxRows: number;
  /** Where it counts its requests to Kafka, for the process's metrics. */
  readonly requestCounts: SharedArrayBuffer;
}

export type ToShare =
  | {
      readonly kind: "ask";
      readonly id: number;
      readonly name: AskedName;
      readonly asked: readonly unknown[];
    }
  /** Its last: what was asked before is answered. */
  | { readonly kind: "close" };

export type FromShare =
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failure"; readonly id: number; readonly error: unknown }
  /** It has thrown away what it had of the index that was made then. */
  | { readonly kind: "discarded"; readonly createdMs: number; readonly why: string }
  /** A topic has at least so many partitions. */
  | { readonly kind: "counted"; readonly createdMs: number; readonly partitions: number }
  | {
      readonly kind: "reached";
      readonly createdMs: number;
      readonly partition: number;
      readonly reached: Reached;
    }
  /** A line of a log, as JSON. */
  | { readonly kind: "log"; readonly line: string };
