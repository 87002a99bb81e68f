import type { Host } from "#host";
import type { Audit } from "../../http/audit/audit.ts";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { DestinationParts } from "../../resources/destinations/parts.ts";
import type { WaitingReader } from "./reader.ts";

/** What the routes of waiting calls work with. */
export type WaitingParts = Pick<
  DestinationParts,
  | "addressPolicy"
  | "breakers"
  | "destinations"
  | "changes"
  | "health"
  | "nowMs"
  | "retryRequests"
  | "telemetry"
> &
  WaitingListParts & { readonly audit: Audit };

/** What the list of waiting calls works with. */
export interface WaitingListParts extends DestinationLookup {
  readonly waiting: WaitingReader;
  readonly host: Pick<Host, "setTimeout">;
}
