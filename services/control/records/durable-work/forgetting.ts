import type { ServiceContext } from "#runtime";
import type { TopicMap } from "#topics";

const FORGET_EVERY_MS = 3_600_000;

interface Forgetting<T> {
  /** For people. */
  readonly what: string;
  readonly store: { list(): readonly T[]; remove(ids: readonly string[]): Promise<void> };
  readonly hasEnded: (one: T) => boolean;
  /** How much longer it is kept than a dead letter; not at all unless given. */
  readonly longerMs?: number;
}

/** Removes what has ended, once an hour, when the dead letters are gone that it was made of. */
export function forgetEnded<T extends { readonly id: string; readonly updatedAtMs: number }>(
  {
    host,
    lifecycle,
    logger,
    nowMs,
  }: Pick<ServiceContext<unknown>, "host" | "lifecycle" | "logger" | "nowMs">,
  { deadLetters: { cleanup } }: Pick<TopicMap, "deadLetters">,
  { hasEnded, longerMs = 0, store, what }: Forgetting<T>,
): void {
  if (cleanup.policy !== "delete") return;
  const keptMs = cleanup.retentionMs + longerMs;
  const forget = (): void => {
    const beforeMs = nowMs() - keptMs;
    const old = store.list().filter((one) => hasEnded(one) && one.updatedAtMs < beforeMs);
    store
      .remove(old.map(({ id }) => id))
      .catch((error: unknown) => logger.warn({ err: error }, `old ${what} are not forgotten yet`));
  };
  const timer = host.setInterval(forget, FORGET_EVERY_MS);
  lifecycle.onStop(`forgetting of ${what}`, async () => timer.clear());
}
