// Up to which moment all calls are known. A timer that fires before that could end a membership that a waiting call prolongs.
import type { Host } from "#host";
import type { Admin, PartitionOffsets } from "#kafka";
import type { TopicMap } from "#topics";

const LOOK_EVERY_MS = 250;

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
 * commit follows the acknowledgement, so what comes of those calls lies before that end, whichever process has written it.
 */
export async function followTide(options: TideOptions): Promise<void> {
  const { host, signal } = options;
  while (!signal.aborted) {
    try {
      await lookOnce(options);
    } catch (error) {
      if (!signal.aborted) options.onError(error);
    }
    await host.delay(LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

async function lookOnce(options: TideOptions): Promise<void> {
  const { admin, host, keyingGroup, signal, topics } = options;
  const atMs = host.now();
  const calls = await admin.offsets(topics.calls.name);
  for (;;) {
    const keyed = await admin.committedOffsets(keyingGroup, topics.calls.name);
    if (calls.every((one) => isReached(one, keyed))) break;
    await host.delay(LOOK_EVERY_MS, signal);
  }
  const events = await admin.offsets(topics.profileEvents.name);
  options.onTide({ atMs, ends: new Map(events.map(({ high, partition }) => [partition, high])) });
}
