// Up to which moment all calls are known. A timer that fires before that could end a membership that a waiting call prolongs.
import type { Host } from "#host";
import type { Admin, PartitionOffsets } from "#kafka";
import type { TopicMap } from "#topics";

/** A look costs ten requests to Kafka. The shortest window is 60 s. */
const LOOK_EVERY_MS = 1_000;
/** While nothing ends by the passing of time: metrics and alerts see that time goes on. */
const LOOK_AT_LEAST_EVERY_MS = 10_000;
const COMMITS_EVERY_MS = 250;

/** All calls that ingest had stored at `atMs` are in profile-events below these offsets. */
export interface Tide {
  readonly atMs: number;
  /** By partition. */
  readonly ends: ReadonlyMap<number, number>;
}

export interface TideOptions {
  readonly admin: Pick<Admin, "offsets" | "committedOffsets">;
  readonly topics: Pick<TopicMap, "calls" | "profileEvents">;
  readonly keyingGroup: string;
  readonly host: Pick<Host, "now" | "delay">;
  readonly signal: AbortSignal;
  /** False: nothing ends by the passing of time. */
  isNeeded(): boolean;
  onTide(tide: Tide): void;
  /** Called with why a look failed; the next one follows. */
  onError(error: unknown): void;
}

function isReached(
  { partition, low, high }: PartitionOffsets,
  committed: ReadonlyMap<number, number>,
): boolean {
  return low === high || (committed.get(partition) ?? 0) >= high;
}

/**
 * Looks again and again: where calls end now, until the group that keys them has committed so far, then where profile events end. The
 * commit follows the acknowledgement, so what comes of those calls lies before that end, whichever process has written it. Before it lies as well what
 * control had written by then, which no call says: a deletion, a suppression, a list's row.
 */
export async function followTide(options: TideOptions): Promise<void> {
  const { host, isNeeded, signal } = options;
  let before: readonly PartitionOffsets[] = [];
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    if (isNeeded() || host.now() - lookedAtMs >= LOOK_AT_LEAST_EVERY_MS) {
      lookedAtMs = host.now();
      try {
        before = await lookOnce(options, before);
      } catch (error) {
        if (!signal.aborted) options.onError(error);
      }
    }
    await host.delay(LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** Resolves with where calls end. Those that all lie before the same ends as at the look before are keyed. */
async function lookOnce(
  options: TideOptions,
  before: readonly PartitionOffsets[],
): Promise<readonly PartitionOffsets[]> {
  const { admin, host, onTide, topics } = options;
  const atMs = host.now();
  const calls = await admin.offsets(topics.calls.name);
  if (!haveSameEnds(before, calls)) await untilKeyed(options, calls);
  const events = await admin.offsets(topics.profileEvents.name);
  onTide({ atMs, ends: new Map(events.map(({ high, partition }) => [partition, high])) });
  return calls;
}

function haveSameEnds(before: readonly PartitionOffsets[], now: readonly PartitionOffsets[]): boolean {
  const highs = new Map(before.map(({ high, partition }) => [partition, high]));
  return before.length === now.length && now.every(({ high, partition }) => highs.get(partition) === high);
}

async function untilKeyed(
  { admin, host, keyingGroup, signal, topics }: TideOptions,
  calls: readonly PartitionOffsets[],
): Promise<void> {
  for (;;) {
    const keyed = await admin.committedOffsets(keyingGroup, topics.calls.name);
    if (calls.every((one) => isReached(one, keyed))) return;
    await host.delay(COMMITS_EVERY_MS, signal);
  }
}
