import { shardWidthOf } from "#topics";
import type { ListedAttempt } from "../delivery-index/attempts-table.ts";
import type { ListedDeadLetter } from "../delivery-index/dead-letters-table.ts";
import { notFound, refused } from "../http/problem.ts";
import { findWaiting } from "../waiting/find.ts";
import { shardsToRead } from "../waiting/reader.ts";
import type { CallParts } from "./parts.ts";
import { stillWaiting, type Trace } from "./trace.ts";

/** More requests than this are made of no call, but for one that is replayed again and again. */
const MAX_ENTRIES = 1_000;

export interface FoundCall {
  readonly messageId: string;
  readonly sourceId: string;
  readonly traces: readonly Trace[];
  readonly isComplete: boolean;
}

/** Throws a 404 for a call of which nothing is known, and a 422 when several sources had one and none is named. */
export async function findCall(
  parts: CallParts,
  messageId: string,
  namedSourceId: string | undefined,
): Promise<FoundCall> {
  const { index } = parts.deliveries;
  const filter = { messageId, sourceId: namedSourceId };
  const attempts = index.listAttempts(filter, { limit: MAX_ENTRIES }).reverse();
  const deadLetters = index.listDeadLetters(filter, { limit: MAX_ENTRIES }).reverse();
  const sourceId = namedSourceId ?? onlySource([...attempts, ...deadLetters]);
  if (sourceId === undefined) throw notFound("trace of a call", messageId);
  const ids = destinationIds(parts, sourceId, [...attempts, ...deadLetters]);
  const destinations = ids.flatMap((destinationId) => {
    const config = parts.destinations.get(destinationId);
    // What waits for a destination that was deleted becomes a dead letter when it is due.
    const width = config === undefined ? 0 : shardWidthOf(config);
    return [{ destinationId, shards: shardsToRead(width) }];
  });
  const found = await findWaiting(parts.waiting, { messageId, sourceId, destinations }, parts.host);
  const traces = ids.map((destinationId): Trace => {
    const trace = {
      destinationId,
      attempts: attempts.filter((attempt) => attempt.destinationId === destinationId),
      deadLetters: deadLetters.filter((letter) => letter.destinationId === destinationId),
      waiting: found.jobs.filter(({ job }) => job.destinationId === destinationId),
    };
    return { ...trace, waiting: stillWaiting(trace) };
  });
  const isKnown = attempts.length + deadLetters.length + found.jobs.length > 0;
  if (!isKnown && found.isComplete) throw notFound("trace of a call", messageId);
  return { messageId, sourceId, traces, isComplete: found.isComplete };
}

type Entry = ListedAttempt | ListedDeadLetter;

function onlySource(entries: readonly Entry[]): string | undefined {
  const sources = [...new Set(entries.flatMap(({ sourceId }) => sourceId ?? []))];
  if (sources.length > 1)
    throw refused([{ path: "sourceId", message: `is required: ${sources.join(", ")} have such a call` }]);
  return sources[0];
}

/** Those that are connected now, and those of which something is known. */
function destinationIds({ destinations }: CallParts, sourceId: string, entries: readonly Entry[]): string[] {
  const connected = destinations.list().filter(({ sourceIds }) => sourceIds.includes(sourceId));
  const known = entries.flatMap(({ destinationId }) => destinationId ?? []);
  return [...new Set([...connected.map(({ id }) => id), ...known])];
}
