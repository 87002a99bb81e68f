/** Waits for `work`, but no longer than that. */
export async function withinMs(work: Promise<void>, timeoutMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
