// Secrets of a destination can be written and are never read (contract 6.3, 10.3).
import { destinationContext, type SecretBox } from "#secrets";
import type { DestinationConfig, EncryptedSecret, Webhook } from "#topics";

/**
 * What answers show in place of a header's value. Sent back unchanged it keeps the value that is stored for the same
 * header of the same URL, so that what was read can be edited and sent back. It is refused anywhere else: a stored value
 * never moves to another URL, whose owner it may not be meant for.
 */
export const MASK = "********";

/** Encrypts for one destination. */
export interface Sealer {
  seal(plaintext: string): EncryptedSecret;
  /** The same secret under the newest key, which ends a rotation. */
  renew(secret: EncryptedSecret): EncryptedSecret;
  /** Whether that is the plaintext of the secret; false too when its key is missing. */
  isSame(secret: EncryptedSecret, plaintext: string): boolean;
}

export function sealerOf(box: SecretBox, destinationId: string): Sealer {
  const context = destinationContext(destinationId);
  return {
    seal: (plaintext) => box.encrypt(plaintext, context),
    renew: (secret) => box.renew(secret, context),
    isSame(secret, plaintext) {
      try {
        return box.decrypt(secret, context) === plaintext;
      } catch {
        return false;
      }
    },
  };
}

export interface WebhookInput {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `stored` is what the destination has until now; masked values are taken from there. */
export function sealWebhooks(
  inputs: readonly WebhookInput[],
  stored: readonly Webhook[],
  sealer: Sealer,
): Webhook[] {
  return inputs.map(({ url, headers = {} }) => ({
    url,
    headers: Object.entries(headers).map(([name, value]) => {
      const kept = value === MASK ? storedHeader(stored, url, name) : undefined;
      return { name, value: kept === undefined ? sealer.seal(value) : sealer.renew(kept) };
    }),
  }));
}

export function renewWebhooks(webhooks: readonly Webhook[], sealer: Sealer): Webhook[] {
  return webhooks.map(({ url, headers }) => ({
    url,
    headers: headers.map(({ name, value }) => ({ name, value: sealer.renew(value) })),
  }));
}

/** The stored value of a header; URLs are compared as they are called, header names without regard to case. */
export function storedHeader(
  stored: readonly Webhook[],
  url: string,
  name: string,
): EncryptedSecret | undefined {
  const webhook = stored.find((candidate) => sameUrl(candidate.url, url));
  return webhook?.headers.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value;
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
  const open = (secret: EncryptedSecret) => box.decrypt(secret, destinationContext(id));
  const isPreviousValid = (previousSecretUntilMs ?? 0) > nowMs;
  return {
    sharedSecret: sharedSecret === null ? undefined : open(sharedSecret),
    previousSecret: previousSecret !== null && isPreviousValid ? open(previousSecret) : undefined,
    headers: webhooks.map(({ headers }) =>
      Object.fromEntries(headers.map(({ name, value }) => [name, open(value)])),
    ),
  };
}
