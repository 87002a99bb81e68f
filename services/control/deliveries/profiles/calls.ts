// The newest calls of one user, from the index. It has no order by user, as each call would pay for it: it is looked through from its newest end, for a
// moment.
import type { CallUser } from "#contract";
import type { ListedRoutedCall } from "../index/routed-calls-table.ts";
import type { ProfileParts } from "./parts.ts";

export interface RecentCalls {
  /** Newest first. */
  readonly data: readonly ListedRoutedCall[];
  /** What was accepted from then on was looked at, Unix ms; undefined: all that the index has. */
  readonly fromMs: number | undefined;
}

/** Shown at most. */
export const MOST_CALLS = 50;
/** Of one look, which nothing else interrupts: some milliseconds. */
const ROWS_A_LOOK = 2_000;

/** Of a partition that has its first look before any has its second, and whatever time it is. */
const NOT_LOOKED_AT = Number.POSITIVE_INFINITY;

/** How far one partition was looked through. */
interface Reached {
  readonly partition: number;
  /** Everything from there on was. */
  readonly place: number | undefined;
  readonly atMs: number;
}

type Looked = Pick<ProfileParts, "deliveries" | "host" | "slices">;

interface Wanted {
  readonly users: readonly CallUser[];
  /** Only calls that were accepted later. */
  readonly afterMs: number;
  readonly withinMs: number;
}

/**
 * The partition that was looked through the least far back is always the next one, so the calls of all are known from the same moment on.
 * A call that was routed again after a crash stands there twice: the newest row counts.
 */
export async function recentCalls(
  { deliveries: { index }, host, slices }: Looked,
  { users, afterMs, withinMs }: Wanted,
): Promise<RecentCalls> {
  const pause = slices.begin();
  const endsAtMs = host.elapsed() + withinMs;
  const found = new Map<number, ListedRoutedCall>();
  const partitions = await index.routedCallPartitions();
  let open: Reached[] = partitions.map((partition) => ({
    ...{ partition, place: undefined, atMs: NOT_LOOKED_AT },
  }));
  const mayGoOn = (): boolean => host.elapsed() < endsAtMs || newestOf(open) === NOT_LOOKED_AT;
  while (open.length > 0 && mayGoOn() && !isEnough(found, open)) {
    await pause();
    const next = open.reduce((one, other) => (other.atMs > one.atMs ? other : one));
    const { partition, place: below } = next;
    const look = await index.lookAtRoutedCalls({ partition, below, users, rows: ROWS_A_LOOK });
    for (const call of look.found) if (!found.has(call.callPlace)) found.set(call.callPlace, call);
    const others = open.filter((one) => one !== next);
    open = look.next === undefined ? others : [...others, { partition, ...look.next }];
  }
  const fromMs = open.length === 0 ? undefined : newestOf(open);
  const known = [...found.values()].filter(({ receivedAtMs }) => receivedAtMs > afterMs);
  return { data: known.toSorted(newestFirst).slice(0, MOST_CALLS), fromMs };
}

const newestOf = (open: readonly Reached[]): number => Math.max(...open.map(({ atMs }) => atMs));

const newestFirst = (one: ListedRoutedCall, other: ListedRoutedCall): number =>
  other.receivedAtMs - one.receivedAtMs || other.callPlace - one.callPlace;

/** All that are shown are newer than everything that was not looked at. */
function isEnough(found: ReadonlyMap<number, ListedRoutedCall>, open: readonly Reached[]): boolean {
  if (found.size < MOST_CALLS) return false;
  const newest = [...found.values()].toSorted(newestFirst)[MOST_CALLS - 1];
  return newest !== undefined && newest.receivedAtMs >= newestOf(open);
}
