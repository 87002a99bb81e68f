import type { SourceConfig } from "#topics";
import type { Ids } from "../../ids.ts";
import type { ChangeQueue } from "../../records/change-queue.ts";
import type { EditedStore } from "../../records/edited-store.ts";
import type { Telemetry } from "../../telemetry.ts";
import type { DestinationListing } from "../destinations/configured.ts";
import type { SourceListing } from "./configured.ts";
import type { FormerKeys } from "./former-keys.ts";

/** What the routes of sources work with. */
export interface SourceParts {
  readonly sources: EditedStore<SourceConfig> & SourceListing;
  /** A source that one of them is connected to is not deleted. */
  readonly destinations: Pick<DestinationListing, "in">;
  readonly changes: ChangeQueue;
  readonly formerKeys: FormerKeys;
  readonly ids: Pick<Ids, "newSourceId" | "newWriteKey">;
  readonly telemetry: Pick<Telemetry, "changed">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
