// Whether this deployment's keys are those that a backup's secrets were encrypted with.
import type { DestinationConfig } from "#topics";
import type { Entry } from "./file.ts";
import { valueIn } from "./plan.ts";

/** Ids of keys that secrets of the backup need and that are not among `keys`, by how many destinations need them. */
export function missingKeys(
  entries: readonly Entry[],
  keys: readonly { readonly id: string }[],
  nowMs: number,
): ReadonlyMap<string, number> {
  const known = new Set(keys.map(({ id }) => id));
  const missing = new Map<string, number>();
  for (const entry of entries) {
    const value = valueIn(entry);
    if (!("webhooks" in value)) continue;
    const needed = new Set(keyIdsOf(value, nowMs));
    for (const id of needed) if (!known.has(id)) missing.set(id, (missing.get(id) ?? 0) + 1);
  }
  return missing;
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
