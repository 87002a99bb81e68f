import type { Audit } from "../../http/audit/audit.ts";
import type { Ids } from "../../ids.ts";
import type { AudienceParts } from "../../resources/audiences/parts.ts";
import type { DestinationListing } from "../../resources/destinations/configured.ts";
import type { ImportQueue } from "./queue.ts";
import type { StagedRows } from "./staged-rows.ts";

/** What requests for imports work with. */
export interface ImportParts extends Pick<AudienceParts, "audiences" | "changes" | "host" | "nowMs"> {
  readonly audit: Audit;
  readonly imports: ImportQueue;
  readonly stagedRows: Pick<StagedRows, "begin">;
  readonly ids: Pick<Ids, "newUploadId">;
  readonly destinations: Pick<DestinationListing, "in">;
}
