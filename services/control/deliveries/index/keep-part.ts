// Keeps a file of the index as its topics are: follows them, and deletes what is old.
import type { Host } from "#host";
import type { Logger } from "#runtime";
import type { Topic, TopicMap } from "#topics";
import { nextTurn } from "../../http/next-turn.ts";
import { type FollowOptions, followTopics } from "./follow.ts";
import type { IndexPart } from "./index-part.ts";
import { INDEXED, type Indexed } from "./indexed.ts";
import type { RetentionRules } from "./retention.ts";

export interface KeepOptions extends Omit<FollowOptions, "signal" | "topics"> {
  readonly topics: TopicMap;
  readonly rules: Omit<RetentionRules, "keptMs">;
}

const DELETE_EVERY_MS = 60_000;

/** Returns what ends it, and closes the file. */
export function keepPart({ rules, topics, ...options }: KeepOptions): () => Promise<void> {
  const { index } = options;
  const indexed = indexedTopics(topics);
  const ending = new AbortController();
  const { signal } = ending;
  const following = followTopics({ ...options, topics: indexed, signal });
  const sweeping = sweep(index, { ...rules, keptMs: keptMsOf(indexed) }, { ...options, signal });
  return async () => {
    sweeping.clear();
    ending.abort();
    await following;
    index.close();
  };
}

function indexedTopics(topics: TopicMap): Readonly<Record<Indexed, Topic>> {
  return {
    attempts: topics.deliveryAttempts,
    totals: topics.deliveryTotals,
    deadLetters: topics.deadLetters,
    routedCalls: topics.routedCalls,
    refusedCalls: topics.refusedCalls,
    hourlyStats: topics.hourlyStats,
    dailyStats: topics.dailyStats,
    auditLog: topics.auditLog,
  };
}

/** The index keeps what the topics keep. */
function keptMsOf(topics: Readonly<Record<Indexed, Topic>>): RetentionRules["keptMs"] {
  const keptMs = (kind: Indexed): number => {
    const { cleanup } = topics[kind];
    return cleanup.policy === "delete" ? cleanup.retentionMs : Number.POSITIVE_INFINITY;
  };
  const kept = Object.fromEntries(INDEXED.map((kind) => [kind, keptMs(kind)]));
  return kept as RetentionRules["keptMs"];
}

interface SweepParts {
  readonly logger: Logger;
  readonly host: Host;
  readonly signal: AbortSignal;
}

function sweep(index: IndexPart, rules: RetentionRules, { host, logger, signal }: SweepParts) {
  const deleteAll = async (): Promise<void> => {
    while (!signal.aborted && index.deleteOld(rules)) await nextTurn(host);
  };
  return host.setInterval(() => {
    deleteAll().catch((error: unknown) =>
      logger.error({ err: error }, "old rows of the index are not deleted"),
    );
  }, DELETE_EVERY_MS);
}
