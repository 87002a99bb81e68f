// The table of topics in docs/develop/architecture.md, and what expires when in docs/use/deletion.md.
import { RETRY_DELAYS_MS } from "#contract";
import { type Topic, type TopicMap, topicMap } from "#topics";
import type { Generated } from "./generated.ts";

const map = topicMap({ prefix: "", retryDelaysMs: RETRY_DELAYS_MS });

/** A topic, or the group of retry topics, as one row. */
interface Row {
  readonly id: string;
  readonly label: string;
  readonly topic: Topic;
}

function topicRows(): Row[] {
  const { deliveryRetries, ...single } = map;
  const rows: Row[] = Object.entries(single).map(([id, topic]) => ({ id, label: topic.name, topic }));
  const [first] = deliveryRetries;
  if (first !== undefined) {
    rows.push({
      id: "deliveryRetries",
      label: `delivery-retry-… (${deliveryRetries.length})`,
      topic: first,
    });
  }
  return rows;
}

function cleanupText(topic: Topic): string {
  return topic.cleanup.policy === "compact" ? "compact" : `${topic.cleanup.retentionMs / 3_600_000} h`;
}

function topicTable(): string {
  const rows = topicRows().map(
    ({ label, topic }) =>
      `| \`${label}\` | ${topic.key} | ${cleanupText(topic)} | ${topic.writtenBy.join(", ")} | ${topic.readBy.join(", ") || "(people)"} |`,
  );
  return ["| topic | key | kept | written by | read by |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** What a topic holds of users, for people; "" for nothing. Whoever adds a topic has to say it. */
const USER_DATA: Readonly<Record<keyof TopicMap, string>> = {
  calls: "every accepted call, whole",
  deliveryJobs: "the call of each job, whole",
  deliveryRetries: "the call of each waiting job, whole",
  deliveryWakes: "",
  retryRequests: "user and message ids that a retry names",
  routedCalls: "message ids and ids of users",
  deliveryAttempts: "message ids and ids of users; answers to failed requests, shortened",
  deliveryTotals: "",
  refusedCalls: "answers to refused calls, and the beginnings of these",
  formerKeyUses: "",
  hourlyStats: "",
  dailyStats: "",
  deadLetters: "calls that failed for good, whole",
  endpointBreakers: "",
  destinationHealth: "",
  operationalEvents: "",
  issueMarks: "",
  sourceConfig: "",
  destinationConfig: "",
  requestKeys: "answers to requests with an Idempotency-Key, encrypted",
  auditLog: "user and message ids that a replay or a retry names",
  replays: "user and message ids that one names",
  regulations: "user ids until it has ended; of a deletion then hashes",
  suppressions: "hashes of suppressed user ids",
  suppressionsBegun: "",
  profileEvents: "calls, whole; deletions, suppressions and imports by user id",
  profiles: "traits, counts, memberships. A deletion removes them",
  audienceConfig: "",
  audienceProgress: "the user evaluated last",
  audienceSizes: "",
  connectionSyncs: "the users sent last",
  membershipImports: "",
  membershipImportRows: "user ids of uploaded lists",
};

function expiryTable(): string {
  const rows = topicRows().flatMap(({ id, label, topic }) => {
    const held = USER_DATA[id as keyof TopicMap];
    return held === "" ? [] : [`| \`${label}\` | ${held} | ${expiryOf(topic)} |`];
  });
  return ["| topic | what of users | until |", "|---|---|---|", ...rows].join("\n");
}

function expiryOf({ cleanup }: Topic): string {
  if (cleanup.policy === "compact") return "a newer record, and compaction";
  const hours = cleanup.retentionMs / 3_600_000;
  return hours % 24 === 0 ? `${hours / 24} days` : `${hours} hours`;
}

/** What stands between two markers of a page. */
function marked(file: string, marker: string, text: string): Generated {
  const place = new RegExp(`(?<=<!-- ${marker}:start[^\\n]*-->\\n)[\\s\\S]*?(?=\\n<!-- ${marker}:end -->)`);
  return { file, place, text };
}

export const generated: readonly Generated[] = [
  marked("docs/develop/architecture.md", "topics", topicTable()),
  marked("docs/use/deletion.md", "expiry", expiryTable()),
];
