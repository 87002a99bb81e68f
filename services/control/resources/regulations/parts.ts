import type { Host } from "#host";
import type { DestinationConfig, SourceConfig } from "#topics";
import type { Audit } from "../../http/audit/audit.ts";
import type { Ids } from "../../ids.ts";
import type { ChangeQueue } from "../../records/change-queue.ts";
import type { ConfigStore } from "../../records/config-store.ts";
import type { Suppressed } from "../../records/suppressions/suppressed.ts";
import type { DestinationListing } from "../destinations/configured.ts";
import type { SourceListing } from "../sources/configured.ts";
import type { RegulationStore } from "./store.ts";

/** How many were found; more where not all was looked at. */
export interface Count {
  readonly atLeast: number;
  readonly isComplete: boolean;
}

/** What there is of some users. */
export interface AffectedUsers {
  /** Users whom audiences and computed traits know. */
  readonly profiles: Count;
  /** Audiences and lists that have one of them as a member. */
  readonly audiences: Count;
  readonly memberships: Count;
  readonly waitingCalls: Count;
  readonly deadLetters: Count;
}

/** What requests for regulations work with. */
export interface RegulationParts {
  readonly regulations: Pick<RegulationStore, "isLoaded" | "get" | "list" | "refresh" | "put">;
  readonly sources: Pick<ConfigStore<SourceConfig> & SourceListing, "get" | "refresh" | "rows">;
  readonly suppressed: Pick<Suppressed, "look">;
  readonly destinations: Pick<
    ConfigStore<DestinationConfig> & DestinationListing,
    "hasAny" | "refresh" | "rows"
  >;
  /** `sourceId` null is all of them. */
  countAffected(asked: {
    readonly userIds: ReadonlySet<string>;
    readonly sourceId: string | null;
  }): Promise<AffectedUsers>;
  readonly audit: Audit;
  readonly changes: ChangeQueue;
  readonly ids: Pick<Ids, "newRegulationId">;
  readonly host: Pick<Host, "setTimeout">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
