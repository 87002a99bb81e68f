import type { Host } from "#host";
import type { Table } from "#kafka";
import type { AudienceConfig, AudienceProgress } from "#topics";
import type { Ids } from "../../ids.ts";
import type { ChangeQueue } from "../../records/change-queue.ts";
import type { EditedStore } from "../../records/edited-store.ts";
import type { Slices } from "../../records/profiles/slices.ts";
import type { Telemetry } from "../../telemetry.ts";
import type { SizeRows } from "./size-rows.ts";

/** What the routes of audiences and computed traits work with. */
export interface AudienceParts {
  /** Audiences, imported lists and computed traits; deleted ones too, so that their keys stay used. */
  readonly audiences: EditedStore<AudienceConfig> & {
    /** Oldest first, in an order that new entries do not disturb. */
    list(): AudienceConfig[];
  };
  /** What each partition of profiles says, by `audienceProgressKey`. */
  readonly audienceProgress: Pick<Table<AudienceProgress>, "get">;
  readonly sizeRows: SizeRows;
  /** How many events of profiles the log has that were written since then, Unix ms; all of them since minus infinity. */
  eventsSince(fromMs: number): Promise<number>;
  /** How fast one audience processor reads them. */
  readonly pace: { readonly backfillPerSecond: number };
  readonly slices: Pick<Slices, "begin">;
  /** Of the profiles' topic. */
  readonly profilePartitions: number;
  readonly changes: ChangeQueue;
  readonly ids: Pick<Ids, "newAudienceId" | "newComputedTraitId">;
  readonly telemetry: Pick<Telemetry, "changed">;
  readonly host: Pick<Host, "setTimeout">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
