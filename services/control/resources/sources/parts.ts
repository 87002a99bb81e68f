import type { DestinationConfig, SourceConfig } from "#topics";
import type { Ids } from "../../ids.ts";
import type { ChangeQueue } from "../../records/change-queue.ts";
import type { ConfigStore } from "../../records/config-store.ts";
import type { EditedStore } from "../../records/edited-store.ts";
import type { Telemetry } from "../../telemetry.ts";
import type { FormerKeys } from "./former-keys.ts";

/** What the routes of sources work with. */
export interface SourceParts {
  readonly sources: EditedStore<SourceConfig>;
  /** A source that one of them is connected to is not deleted. */
  readonly destinations: Pick<ConfigStore<DestinationConfig>, "list">;
  readonly changes: ChangeQueue;
  readonly formerKeys: FormerKeys;
  readonly ids: Pick<Ids, "newSourceId" | "newWriteKey">;
  readonly telemetry: Pick<Telemetry, "changed">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
