// Calls of suppressed users that an ingest process accepted without knowing: its table was behind, or had lost its topic (contract 5.2).
import { hasPreviousId } from "#contract";
import { type Call, type Suppression, suppressionKey, userHash, witnessesOf } from "#topics";
import type { Connection, RouterContext } from "./connection.ts";

/**
 * The time after a suppression within which ingest acts on it (contract 10.1); calls accepted until then
 * count as accepted before it.
 */
const IN_FORCE_MS = 1_000;

/** It tells receivers of the deletion (contract 5.1). */
const ALWAYS_SENT = "delete";

const WORKSPACE = null;

export type CallOfUser = Pick<Call, "sourceId" | "type" | "userId" | "receivedAtMs" | "body">;

export interface SuppressionTable {
  readonly size: number;
  get(key: string): Pick<Suppression, "atMs"> | undefined;
}

/** Whether the call names a user who was suppressed before it was accepted. */
export function isSuppressed(table: SuppressionTable, call: CallOfUser): boolean {
  if (table.size === 0 || call.type === ALWAYS_SENT) return false;
  const { sourceId, receivedAtMs } = call;
  const isIn = (scope: string | null, hash: string): boolean => {
    const atMs = table.get(suppressionKey(scope, hash))?.atMs;
    return atMs !== undefined && receivedAtMs > atMs + IN_FORCE_MS;
  };
  return usersOf(call)
    .map(userHash)
    .some((hash) => isIn(WORKSPACE, hash) || isIn(sourceId, hash));
}

function usersOf({ type, userId, body }: CallOfUser): string[] {
  const previousId: unknown = hasPreviousId(type) ? JSON.parse(body.toString()).previousId : undefined;
  return [userId, previousId].filter((user) => typeof user === "string");
}

export interface Suppressions {
  /** Resolves when everything that was written before is known. */
  load(): Promise<void>;
  /** As `load`, before a call is dropped. Of a topic that has lost its records what was read counts on: nothing waits for a restore. */
  confirm(): Promise<void>;
  has(call: CallOfUser): boolean;
}

export function followSuppressions(
  { logger, health }: Pick<RouterContext, "logger" | "health">,
  { kafka, serde, topics }: Connection,
): Suppressions {
  const topic = topics.suppressions;
  const table = kafka.table<Suppression>({
    topic: topic.name,
    witnesses: witnessesOf(topics, topic),
    decode: ({ value }) => serde.decode(topic, value),
    onPoison: (_, error) => logger.error({ err: error }, "suppression cannot be read"),
  });
  health.readiness("suppressions are loaded", () => table.loaded);
  const load = (): Promise<void> => table.load();
  return {
    load,
    async confirm() {
      if (table.size > 0)
        await table.look().catch(({ code }) => (code === "records_lost" ? undefined : load()));
    },
    has: (call) => isSuppressed(table, call),
  };
}
