import type { Host } from "#host";

/** Waits for `work`, but no longer than that. */
export async function withinMs(work: Promise<void>, timeoutMs: number, host: Host): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = host.setTimeout(resolve, timeoutMs);
  await Promise.race([work, promise]).finally(() => timer.clear());
}
