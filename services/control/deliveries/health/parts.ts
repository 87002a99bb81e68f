// What watching over health works with.
import type { Egress } from "#egress";
import type { Table } from "#kafka";
import type { egressSettings, ServiceContext, SettingsOf, topicSettings } from "#runtime";
import type { DestinationConfig } from "#topics";
import type { ChangeQueue } from "../../records/change-queue.ts";
import type { OwnedWork, OwningParts } from "../../records/durable-work/owned-work.ts";
import type { EditedStore } from "../../records/edited-store.ts";
import type { healthSettings } from "./config.ts";

export type Context = ServiceContext<
  SettingsOf<{
    readonly health: typeof healthSettings;
    readonly topics: typeof topicSettings;
    readonly egress: typeof egressSettings;
  }>
>;

export interface HealthParts extends OwningParts {
  readonly ownedWork: OwnedWork;
  readonly destinationTable: Pick<
    Table<DestinationConfig, Pick<DestinationConfig, "id">>,
    "get" | "onChange"
  >;
  readonly destinations: Pick<EditedStore<DestinationConfig>, "get" | "refresh" | "replace">;
  readonly changes: ChangeQueue;
  /** Of every topic whose key names a destination. */
  readonly partitions: number;
  readonly egress: Egress;
}
