// When the health of a destination is worth a record. Pure.
import type { DestinationHealth } from "#topics";

const SOON_MS = 1_000;
const LATER_MS = 10_000;
/** So many failures are written within a second each. More say little that is new. */
const FEW_FAILURES = 10;

/**
 * The first success is, once; every change of state or of the webhooks is, and the end of a failure that was written. A failure that goes on is written from time to time: ten
 * thousand destinations that fail cost a thousand small records a second.
 */
export function isWorthWriting(
  written: DestinationHealth | undefined,
  health: DestinationHealth,
  nowMs: number,
): boolean {
  if (written === undefined) return health.webhooks.length > 0 || health.state !== "untested";
  if (written.state !== health.state || !isOfSame(written, health)) return true;
  if (health.webhooks.length === 0) return written.webhooks.length > 0;
  if (written.attemptOffset === health.attemptOffset) return false;
  const failures = health.webhooks.reduce((sum, webhook) => sum + webhook.failures, 0);
  return nowMs - written.attemptAtMs >= (failures <= FEW_FAILURES ? SOON_MS : LATER_MS);
}

/** Nothing is left to remember that its record does not say. */
export function isAtRest(written: DestinationHealth | undefined, health: DestinationHealth): boolean {
  if (health.state !== "healthy" || health.webhooks.length > 0) return false;
  return written?.state === "healthy" && written.webhooks.length === 0 && isOfSame(written, health);
}

function isOfSame(one: DestinationHealth, other: DestinationHealth): boolean {
  return one.urls.length === other.urls.length && one.urls.every((url, index) => url === other.urls[index]);
}
