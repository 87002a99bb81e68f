// The health of destinations as it is written, read by what shows it and by what writes it on. Pure.
import type { DestinationHealth } from "#topics";

export interface HealthBook {
  /** Undefined for a destination that was never sent anything. */
  of(destinationId: string): DestinationHealth | undefined;
  /** Ids of those that are written as failing. */
  readonly failing: ReadonlySet<string>;
  /** The destination is deleted. */
  forget(destinationId: string): void;
}

/** False once every URL of a destination was changed: what was seen is of other endpoints. */
export function isAbout({ urls }: Pick<DestinationHealth, "urls">, configured: readonly string[]): boolean {
  return urls.length === 0 || urls.some((url) => configured.includes(url));
}

/** Since when nothing has got through, from the first failure of the webhook that gave up last; undefined while one works. */
export function unbrokenSinceMs(
  { webhooks }: Pick<DestinationHealth, "webhooks">,
  urls: readonly string[],
): number | undefined {
  const sinces = urls.map((url) => webhooks.find((webhook) => webhook.url === url)?.sinceMs);
  const failing = sinces.filter((sinceMs) => sinceMs !== undefined);
  return failing.length < urls.length || failing.length === 0 ? undefined : Math.max(...failing);
}
