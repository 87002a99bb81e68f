import type { Host } from "#host";
import type { DestinationConfig, SourceConfig } from "#topics";
import type { Audit } from "../../http/audit/audit.ts";
import type { Ids } from "../../ids.ts";
import type { ChangeQueue } from "../../records/change-queue.ts";
import type { ConfigStore } from "../../records/config-store.ts";
import type { Suppressed } from "../../records/suppressions/suppressed.ts";
import type { RegulationStore } from "./store.ts";

/** What requests for regulations work with. */
export interface RegulationParts {
  readonly regulations: Pick<RegulationStore, "isLoaded" | "get" | "list" | "refresh" | "putVisibly">;
  readonly sources: Pick<ConfigStore<SourceConfig>, "get" | "list" | "refresh">;
  readonly suppressed: Pick<Suppressed, "look">;
  readonly destinations: Pick<ConfigStore<DestinationConfig>, "list" | "refresh">;
  readonly audit: Audit;
  readonly changes: ChangeQueue;
  readonly ids: Pick<Ids, "newRegulationId">;
  readonly host: Pick<Host, "setTimeout">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
