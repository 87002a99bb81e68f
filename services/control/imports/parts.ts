import type { AudienceParts } from "../audiences/parts.ts";
import type { Audit } from "../audit/audit.ts";
import type { Ids } from "../ids.ts";
import type { ImportQueue } from "./queue.ts";
import type { StagedRows } from "./staged-rows.ts";

/** What requests for imports work with. */
export interface ImportParts extends Pick<AudienceParts, "audiences" | "changes" | "host" | "nowMs"> {
  readonly audit: Audit;
  readonly imports: ImportQueue;
  readonly stagedRows: Pick<StagedRows, "begin">;
  readonly ids: Pick<Ids, "newUploadId">;
}
