import type { AddressPolicy } from "#egress";
import type { SecretBox } from "#secrets";
import type { DestinationConfig, SourceConfig } from "#topics";
import type { Ids } from "../../ids.ts";
import type { Breakers } from "../../records/breakers/breakers.ts";
import type { ChangeQueue } from "../../records/change-queue.ts";
import type { ConfigStore } from "../../records/config-store.ts";
import type { EditedStore } from "../../records/edited-store.ts";
import type { Telemetry } from "../../telemetry.ts";
import type { DestinationListing } from "./configured.ts";
import type { HealthBook } from "./health/written.ts";
import type { RetryRequests } from "./retry-requests.ts";
import type { SourceCosts } from "./source-costs.ts";

/** What the routes of destinations work with. */
export interface DestinationParts {
  readonly destinations: EditedStore<DestinationConfig> & DestinationListing;
  /** A destination is connected to sources that exist. */
  readonly sources: Pick<ConfigStore<SourceConfig>, "get">;
  /** Of the filters of each source's destinations. */
  readonly sourceCosts: Pick<SourceCosts, "of">;
  readonly changes: ChangeQueue;
  readonly health: HealthBook;
  readonly breakers: Pick<Breakers, "of">;
  readonly retryRequests: RetryRequests;
  /** Of every topic whose key names a destination. */
  readonly partitions: number;
  /** Delays of the topics that calls wait in, ascending. */
  readonly retryDelaysMs: readonly number[];
  readonly secrets: SecretBox;
  readonly ids: Pick<Ids, "newDestinationId">;
  readonly telemetry: Pick<Telemetry, "changed">;
  /** Why no request goes to an address. */
  readonly addressPolicy: AddressPolicy;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
