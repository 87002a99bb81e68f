// What watching over health works with, and what the routes see of it.
import type { Egress } from "#egress";
import type { Kafka, Table } from "#kafka";
import type { egressSettings, ServiceContext, SettingsOf, topicSettings } from "#runtime";
import type { Serde } from "#serde";
import type { DestinationConfig, DestinationHealth, TopicMap } from "#topics";
import type { ChangeQueue } from "../../records/change-queue.ts";
import type { EditedStore } from "../../records/edited-store.ts";
import type { healthSettings } from "./config.ts";

export type Context = ServiceContext<
  SettingsOf<{
    readonly health: typeof healthSettings;
    readonly topics: typeof topicSettings;
    readonly egress: typeof egressSettings;
  }>
>;

export interface HealthParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly destinationTable: Pick<Table<DestinationConfig>, "get" | "onChange">;
  readonly destinations: Pick<EditedStore<DestinationConfig>, "get" | "refresh" | "replace">;
  readonly changes: ChangeQueue;
  /** Of every topic whose key names a destination. */
  readonly partitions: number;
  readonly egress: Egress;
}

export interface HealthBook {
  /** Undefined for a destination that was never sent anything. */
  of(destinationId: string): DestinationHealth | undefined;
  /** The destination is deleted. */
  forget(destinationId: string): void;
}
