/** Delay before try number `failures` + 1: doubles from `firstMs` to `maxMs`, with a fifth of jitter so that processes spread. */
export function backoffMs(failures: number, firstMs: number, maxMs: number): number {
  const delayMs = Math.min(maxMs, firstMs * 2 ** Math.max(0, Math.min(failures - 1, 30)));
  return Math.round(delayMs * (0.9 + Math.random() * 0.2));
}
