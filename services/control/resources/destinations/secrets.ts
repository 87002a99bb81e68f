// Secrets of a destination can be written and are never read (contract 6.3, 10.3).
import { MASK, type SecretBox, type SecretPlace } from "#secrets";
import type { DestinationConfig, EncryptedSecret, Webhook } from "#topics";

/** A place within one destination; see SecretPlace. */
type Place =
  | { readonly field: "sharedSecret" | "previousSecret" }
  | { readonly field: "header"; readonly url: string; readonly name: string };

/** Encrypts for one destination. */
export interface Sealer {
  seal(plaintext: string, place: Place): EncryptedSecret;
  /** The same secret under the newest key and in today's format, which ends a rotation. */
  renew(secret: EncryptedSecret, place: Place): EncryptedSecret;
  /** The secret of one place for another. Throws a SecretError when it does not decrypt. */
  move(secret: EncryptedSecret, from: Place, to: Place): EncryptedSecret;
  /** The plaintext; undefined when its key is missing, or it is not of that place. */
  open(secret: EncryptedSecret, place: Place): string | undefined;
}

export function sealerOf(box: SecretBox, destinationId: string): Sealer {
  const at = (place: Place): SecretPlace => ({ destinationId, ...place });
  return {
    seal: (plaintext, place) => box.encrypt(plaintext, at(place)),
    renew: (secret, place) => box.renew(secret, at(place)),
    move: (secret, from, to) => box.move(secret, at(from), at(to)),
    open(secret, place) {
      try {
        return box.decrypt(secret, at(place));
      } catch {
        return undefined;
      }
    },
  };
}

export interface WebhookInput {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * `stored` is what the destination has until now. The mask, which answers show in place of a header's value, keeps the value
 * that is stored for the same header of the same URL when it is sent back, so that what was read can be edited and sent
 * back. It is refused anywhere else: a stored value never moves to another URL, whose owner it may not be meant for.
 */
export function sealWebhooks(
  inputs: readonly WebhookInput[],
  stored: readonly Webhook[],
  sealer: Sealer,
): Webhook[] {
  return inputs.map(({ url, headers = {} }) => ({
    url,
    headers: Object.entries(headers).map(([name, value]) => {
      const place = { field: "header", url, name } as const;
      const kept = value === MASK ? storedHeader(stored, url, name) : undefined;
      if (kept === undefined) return { name, value: sealer.seal(value, place) };
      // URL and name may be written otherwise than they were: the place is another then.
      return { name, value: sealer.move(kept.value, kept.place, place) };
    }),
  }));
}

export function renewWebhooks(webhooks: readonly Webhook[], sealer: Sealer): Webhook[] {
  return webhooks.map(({ url, headers }) => ({
    url,
    headers: headers.map(({ name, value }) => ({
      name,
      value: sealer.renew(value, { field: "header", url, name }),
    })),
  }));
}

interface StoredHeader {
  readonly value: EncryptedSecret;
  readonly place: Place;
}

/** The stored value of a header; URLs are compared as they are called, header names without regard to case. */
export function storedHeader(
  stored: readonly Webhook[],
  url: string,
  name: string,
): StoredHeader | undefined {
  const webhook = stored.find((candidate) => sameUrl(candidate.url, url));
  const header = webhook?.headers.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (webhook === undefined || header === undefined) return undefined;
  return { value: header.value, place: { field: "header", url: webhook.url, name: header.name } };
}

function sameUrl(one: string, other: string): boolean {
  return one === other || URL.parse(one)?.href === URL.parse(other)?.href;
}

/** A destination's secrets in clear, for the requests that they are for. */
export interface OpenSecrets {
  readonly sharedSecret: string | undefined;
  /** Signs too, while it is valid. */
  readonly previousSecret: string | undefined;
  /** One entry for each webhook, in its order. */
  readonly headers: readonly Readonly<Record<string, string>>[];
}

/** As of `nowMs`. Throws a SecretError. */
export function openSecrets(box: SecretBox, destination: DestinationConfig, nowMs: number): OpenSecrets {
  const { id, sharedSecret, previousSecret, previousSecretUntilMs, webhooks } = destination;
  const open = (secret: EncryptedSecret, place: Place) =>
    box.decrypt(secret, { destinationId: id, ...place });
  const previous = (previousSecretUntilMs ?? 0) > nowMs ? previousSecret : null;
  return {
    sharedSecret: sharedSecret === null ? undefined : open(sharedSecret, { field: "sharedSecret" }),
    previousSecret: previous === null ? undefined : open(previous, { field: "previousSecret" }),
    headers: webhooks.map(({ url, headers }) =>
      Object.fromEntries(
        headers.map(({ name, value }) => [name, open(value, { field: "header", url, name })]),
      ),
    ),
  };
}
