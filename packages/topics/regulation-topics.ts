// Topics of deletions and suppressions (contract 5).
import { COMPACT, type Topic } from "./topic.ts";

export interface RegulationTopics {
  readonly regulations: Topic<"regulation">;
  /** Who is suppressed now: a tombstone ends it. */
  readonly suppressions: Topic<"suppression">;
  /** Has a record once `suppressions` has had one: shows of an empty one that its records are lost (decision 118). */
  readonly suppressionsBegun: Topic<"suppression">;
}

export function regulationTopics({ prefix }: { readonly prefix: string }): RegulationTopics {
  return {
    regulations: {
      name: `${prefix}regulations`,
      key: "regulationId",
      record: "regulation",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["control"],
    },
    suppressions: {
      name: `${prefix}suppressions`,
      key: "sourceId or *, then a hash of the user id",
      record: "suppression",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["ingest", "webhook-router", "control"],
    },
    suppressionsBegun: {
      name: `${prefix}suppressions-begun`,
      key: "begun; without a value",
      record: "suppression",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["ingest", "webhook-router", "control"],
    },
  };
}
