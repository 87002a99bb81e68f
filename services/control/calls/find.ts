import { shardWidthOf } from "#topics";
import type { ListedRoutedCall } from "../delivery-index/routed-calls-table.ts";
import { notFound, refused } from "../http/problem.ts";
import { findWaiting } from "../waiting/find.ts";
import { shardsToRead } from "../waiting/reader.ts";
import type { CallParts } from "./parts.ts";
import { stillWaiting, type Trace, whyPassedOver } from "./trace.ts";

/** More requests than this are made of no call, but for one that is replayed again and again. */
const MAX_ENTRIES = 1_000;

export interface FoundCall {
  readonly messageId: string;
  readonly sourceId: string;
  /** Oldest first, its copies too; empty when nothing is recorded. */
  readonly accepted: readonly ListedRoutedCall[];
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
  const accepted = index.listRoutedCalls(filter, MAX_ENTRIES);
  const entries = [...attempts, ...deadLetters];
  const sourceId = namedSourceId ?? onlySource([...entries, ...accepted]);
  if (sourceId === undefined) throw notFound("trace of a call", messageId);
  const ids = destinationIds(parts, sourceId, [...entries, ...accepted.flatMap(jobsOf)]);
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
      passedOver: whyPassedOver(destinationId, accepted),
    };
    return { ...trace, waiting: stillWaiting(trace) };
  });
  const isKnown = entries.length + accepted.length + found.jobs.length > 0;
  if (!isKnown && found.isComplete) throw notFound("trace of a call", messageId);
  return { messageId, sourceId, accepted, traces, isComplete: found.isComplete };
}

interface OfSource {
  readonly sourceId: string | null;
}

interface OfDestination {
  readonly destinationId: string | null;
}

const jobsOf = ({ destinationIds }: ListedRoutedCall): OfDestination[] =>
  destinationIds.map((destinationId) => ({ destinationId }));

function onlySource(entries: readonly OfSource[]): string | undefined {
  const sources = [...new Set(entries.flatMap(({ sourceId }) => sourceId ?? []))];
  if (sources.length > 1)
    throw refused([{ path: "sourceId", message: `is required: ${sources.join(", ")} have such a call` }]);
  return sources[0];
}

/** Those that are connected now, and those of which something is known. */
function destinationIds(
  { destinations }: CallParts,
  sourceId: string,
  entries: readonly OfDestination[],
): string[] {
  const connected = destinations.list().filter(({ sourceIds }) => sourceIds.includes(sourceId));
  const known = entries.flatMap(({ destinationId }) => destinationId ?? []);
  return [...new Set([...connected.map(({ id }) => id), ...known])];
}
