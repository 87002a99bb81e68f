// Whether this deployment's keys are those that a backup's secrets were encrypted with.
import { createSecretBox, type EncryptedSecret, type EncryptionKey, type SecretPlace } from "#secrets";
import type { DestinationConfig } from "#topics";
import type { Entry } from "./file.ts";
import { valueIn } from "./plan.ts";

/** Entries with secrets that none of `keys` opens, with the ids of the keys that would: one of `keys` may have the same id. */
export function unreadableEntries(
  entries: readonly Entry[],
  keys: readonly EncryptionKey[],
  nowMs: number,
): ReadonlyMap<Entry, readonly string[]> {
  const isOpened = openerWith(keys);
  const unreadable = new Map<Entry, readonly string[]>();
  for (const entry of entries) {
    const value = valueIn(entry);
    if (!("webhooks" in value)) continue;
    const missing = secretsOf(value, nowMs).flatMap(([secret, place]) =>
      secret === null || isOpened(secret, place) ? [] : secret.keyId,
    );
    if (missing.length > 0) unreadable.set(entry, [...new Set(missing)]);
  }
  return unreadable;
}

function openerWith(
  keys: readonly EncryptionKey[],
): (secret: EncryptedSecret, place: SecretPlace) => boolean {
  if (keys.length === 0) return () => false;
  const box = createSecretBox({ keys });
  return (secret, place) => {
    try {
      return typeof box.decrypt(secret, place) === "string";
    } catch {
      return false;
    }
  };
}

/** A previous secret that signs nothing any more needs no key, as for control and deliverers. */
function secretsOf(
  { id: destinationId, previousSecret, previousSecretUntilMs, sharedSecret, webhooks }: DestinationConfig,
  nowMs: number,
): (readonly [EncryptedSecret | null, SecretPlace])[] {
  const previous = (previousSecretUntilMs ?? 0) > nowMs ? previousSecret : null;
  const headers = webhooks.flatMap(({ headers: all, url }) => all.map((header) => ({ ...header, url })));
  return [
    [sharedSecret, { destinationId, field: "sharedSecret" }],
    [previous, { destinationId, field: "previousSecret" }],
    ...headers.map(({ value, ...at }) => [value, { destinationId, field: "header", ...at }] as const),
  ];
}
