import type { Host } from "#host";
import type { Admin } from "#kafka";

export interface Folded {
  readonly admin: Pick<Admin, "offsets" | "committedOffsets">;
  /** The group that folds the topic's records. */
  readonly groupId: string;
  readonly topic: string;
  readonly host: Pick<Host, "delay">;
}

const LOOK_EVERY_MS = 250;

/**
 * Resolves when the group has committed everything that was in the topic at the call. It commits after what has come of a record is
 * written. Waits while nobody is in the group; rejects with the signal.
 */
export async function untilFolded(
  { admin, groupId, host, topic }: Folded,
  signal: AbortSignal,
): Promise<void> {
  const ends = await admin.offsets(topic);
  for (;;) {
    const committed = await admin.committedOffsets(groupId, topic);
    if (ends.every(({ high, low, partition }) => low === high || (committed.get(partition) ?? 0) >= high))
      return;
    await host.delay(LOOK_EVERY_MS, signal);
  }
}
