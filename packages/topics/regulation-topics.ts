// Topics of deletions and suppressions (contract 5).
import { COMPACT, topic } from "./topic.ts";

export function regulationTopics({ prefix }: { readonly prefix: string }) {
  return {
    regulations: topic({
      name: `${prefix}regulations`,
      key: "regulationId",
      record: "regulation",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["audience-processor", "control"],
    }),
    /** Who is suppressed now: a tombstone ends it. */
    suppressions: topic({
      name: `${prefix}suppressions`,
      key: "sourceId or *, then a hash of the user id",
      record: "suppression",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["ingest", "webhook-router", "control"],
    }),
    /** Has a record once `suppressions` has had one: shows of an empty one that its records are lost (decision 118). */
    suppressionsBegun: topic({
      name: `${prefix}suppressions-begun`,
      key: "begun; without a value",
      record: "suppression",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["ingest", "webhook-router", "control"],
    }),
  };
}
