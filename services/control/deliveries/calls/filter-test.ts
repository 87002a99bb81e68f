// The last calls of a source, judged by what a destination would take. In slices: judging one call may take 5 ms (decision 114).
import { type DecidingCondition, explainFilter, filterFrom } from "#audiences";
import { isAlwaysSent, type PassedOverReason, type Selection, whyNotSelected } from "#contract";
import type { Host } from "#host";
import type { Call, DestinationConfig } from "#topics";
import { inTime, unavailable } from "../../http/in-time.ts";
import { scan } from "../../http/scan.ts";
import type { PlaceReader } from "../../records/places/place-reader.ts";
import type { Slices } from "../../records/profiles/slices.ts";
import type { DeletedUsers } from "../../resources/regulations/deleted-users.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { CallOfSource } from "../index/routed-calls-table.ts";
import { newestOf, type PlacedCall } from "./last-calls.ts";

export interface FilterTestWork {
  readonly index: Pick<DeliveryIndex, "listCallsOfSource">;
  readonly acceptedCalls: PlaceReader<Call>;
  /** Newest first, from the log. */
  lastCalls(asked: {
    readonly sourceId: string;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<PlacedCall[]>;
  readonly deletedUsers: Pick<DeletedUsers, "isOfDeleted">;
  readonly slices: Slices;
  readonly host: Pick<Host, "elapsed" | "setImmediate" | "setTimeout">;
}

export interface FilterTest extends Selection, Pick<DestinationConfig, "filter"> {
  readonly sourceId: string;
  readonly limit: number;
}

export interface JudgedCall {
  readonly call: Call;
  /** Undefined: it would be sent. */
  readonly reason: PassedOverReason | undefined;
  /** Conditions of the filter, at most `MOST_WHY`; none where it was not asked. */
  readonly why: readonly DecidingCondition[];
}

export interface FilterTested {
  /** Newest first; of those that Kafka still has and whose users were not deleted since. */
  readonly judged: readonly JudgedCall[];
  /** False where the time was over before all were judged. */
  readonly isWhole: boolean;
}

/** More tell nobody anything; each may show a value of 32 KB. */
export const MOST_WHY = 20;
/** Of a value that is shown. */
export const MOST_CHARACTERS = 200;

/** Somebody waits for the answer. */
const READ_MS = 5_000;
const JUDGE_MS = 5_000;

/** `asked.filter` is one that the rules accept. Throws a 503 where Kafka does not give the calls in time. */
export async function testFilter(work: FilterTestWork, asked: FilterTest): Promise<FilterTested> {
  const { deletedUsers, host, slices } = work;
  const calls = await readCalls(work, asked);
  const filter = asked.filter === null ? undefined : filterFrom(asked.filter);
  const pause = slices.begin();
  const endMs = host.elapsed() + JUDGE_MS;
  const judged: JudgedCall[] = [];
  for (const { call } of calls) {
    await pause();
    if (host.elapsed() > endMs) return { judged, isWhole: false };
    // Nothing of them is shown any more.
    if (deletedUsers.isOfDeleted(call)) continue;
    judged.push(judge(call, asked, filter));
  }
  return { judged, isWhole: true };
}

function readCalls(work: FilterTestWork, asked: FilterTest): Promise<PlacedCall[]> {
  const { limit, sourceId } = asked;
  const late = unavailable("Kafka does not give the calls now");
  return inTime({ host: work.host, withinMs: READ_MS, late }, async (signal) => {
    const newest = await work.lastCalls({ sourceId, limit, signal });
    if (newest.length === limit) return newest;
    return newestOf([...newest, ...(await olderCalls(work, asked, { newest, signal }))], limit);
  });
}

/** Of a source that is rare among the others: those that the index knows, and Kafka still has. */
async function olderCalls(
  { acceptedCalls, host, index }: FilterTestWork,
  { limit, sourceId }: FilterTest,
  { newest, signal }: { readonly newest: readonly PlacedCall[]; readonly signal: AbortSignal },
): Promise<PlacedCall[]> {
  const { found } = await scan({
    read: (page) => index.listCallsOfSource({ sourceId }, page),
    accepts: ({ isSaidAgain }) => !isSaidAgain,
    markOf: ({ place, receivedAtMs }: CallOfSource) => ({ atMs: receivedAtMs, place }),
    page: { limit },
    host,
  });
  const known = new Set(newest.map(({ place }) => place));
  const places = found.map(({ callPlace }) => callPlace).filter((place) => !known.has(place));
  const calls = await acceptedCalls.read(
    [...new Set(places)].sort((one, other) => one - other),
    signal,
  );
  return [...calls].map(([place, call]) => ({ place, call }));
}

/** In the order in which routers look. */
function judge(
  call: Call,
  selection: Selection,
  filter: ReturnType<typeof filterFrom> | undefined,
): JudgedCall {
  const reason = whyNotSelected(call, selection);
  if (reason !== undefined || filter === undefined || isAlwaysSent(call)) return { call, reason, why: [] };
  const { decidedBy, isPassing } = explainFilter(filter, JSON.parse(call.body.toString()));
  const why = decidedBy.slice(0, MOST_WHY).map((one) => ({ ...one, value: shown(one.value) }));
  return { call, reason: isPassing ? undefined : "filter_off", why };
}

/** Null for nothing; of a long value the beginning of its JSON, or of the text that it is. */
function shown(value: unknown): unknown {
  if (value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : value;
}
