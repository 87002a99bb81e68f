import type { Host } from "#host";
import type { Audit } from "../../http/audit/audit.ts";
import type { AuditLogParts } from "../../http/audit/parts.ts";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";
import type { IssueMarks } from "./marks.ts";

/** What the routes of issues work with. */
export interface IssueParts extends DestinationLookup, AuditLogParts {
  readonly deliveries: {
    readonly index: Pick<
      DeliveryIndex,
      "countUpTo" | "findIssue" | "knowsDestination" | "listAttemptsOfIssue" | "listIssues"
    >;
    readonly progress: Pick<Progress, "indexedUntilMs">;
  };
  readonly issueMarks: IssueMarks;
  readonly audit: Audit;
  readonly host: Pick<Host, "setImmediate" | "setTimeout">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
