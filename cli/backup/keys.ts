// Whether this deployment's keys are those that a backup's secrets were encrypted with.
import type { DestinationConfig } from "#topics";
import type { Entry } from "./file.ts";
import { valueIn } from "./plan.ts";

/** Entries with secrets that need keys that are not among `keys`, with the ids of those. */
export function unreadableEntries(
  entries: readonly Entry[],
  keys: readonly { readonly id: string }[],
  nowMs: number,
): ReadonlyMap<Entry, readonly string[]> {
  const known = new Set(keys.map(({ id }) => id));
  const unreadable = new Map<Entry, readonly string[]>();
  for (const entry of entries) {
    const value = valueIn(entry);
    if (!("webhooks" in value)) continue;
    const missing = [...new Set(keyIdsOf(value, nowMs))].filter((id) => !known.has(id));
    if (missing.length > 0) unreadable.set(entry, missing);
  }
  return unreadable;
}

/** A previous secret that signs nothing any more needs no key, as for control and deliverers. */
function keyIdsOf(
  { previousSecret, previousSecretUntilMs, sharedSecret, webhooks }: DestinationConfig,
  nowMs: number,
): string[] {
  const headers = webhooks.flatMap((webhook) => webhook.headers.map(({ value }) => value));
  const previous = (previousSecretUntilMs ?? 0) > nowMs ? previousSecret : null;
  return [sharedSecret, previous, ...headers].flatMap((secret) => secret?.keyId ?? []);
}
