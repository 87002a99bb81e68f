import type { Egress } from "#egress";
import type { Host } from "#host";
import type { SecretBox } from "#secrets";
import type { Ids } from "../../ids.ts";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { Telemetry } from "../../telemetry.ts";

/** What a test call works with. */
export interface TestCallParts extends DestinationLookup {
  readonly secrets: SecretBox;
  readonly egress: Egress;
  /** How webhooks are called (contract 2.2, 2.5), as the deliverer calls them. */
  readonly delivery: { readonly responseDeadlineMs: number; readonly userAgent: string };
  readonly ids: Pick<Ids, "newMessageId">;
  readonly telemetry: Pick<Telemetry, "tested">;
  readonly host: Pick<Host, "delay" | "elapsed">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
