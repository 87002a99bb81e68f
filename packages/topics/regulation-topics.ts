// Topics of deletions and suppressions (contract 5).
import { COMPACT, type Topic } from "./topic.ts";

export interface RegulationTopics {
  readonly regulations: Topic<"regulation">;
  /** Who is suppressed now: a tombstone ends it. */
  readonly suppressions: Topic<"suppression">;
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
      readBy: ["ingest", "control"],
    },
  };
}
