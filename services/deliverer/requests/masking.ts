// Masks a webhook's secrets that an endpoint may have sent back, in what is recorded and logged of its
// requests.
import { bytesToMask, createMask, type Mask, secretsOfHeader, secretsOfUrl } from "#secrets";
import type { Signing } from "./request-headers.ts";

/** The bytes of a response that are recorded. */
export const SHOWN_BODY_BYTES = 1_024;

export interface Masking {
  /** The bytes of a failure's body that are read: no secret that begins in the recorded part may be cut. */
  readonly captureBytes: number;
  /** Takes the webhook's secrets out of a text. */
  readonly mask: Mask;
}

interface Secrets {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signing: Pick<Signing, "sharedSecret" | "previous">;
}

/** A webhook's mask takes 8 KiB, with a long token 60: those of all webhooks would take the process's memory. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/** The masks that are kept for the next record, of all webhooks together. To make one again takes a millisecond, and never more than 20. */
export class KeptMasks {
  readonly #maxBytes: number;
  #bytes = 0;
  #forget: (() => void)[] = [];

  constructor(maxBytes = MAX_KEPT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Over the bound all others are forgotten at once: those in use are soon made again, and nothing is to be known of each use. */
  keep({ bytes }: Mask, forget: () => void): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) {
      for (const forgetOne of this.#forget.splice(0)) forgetOne();
      this.#bytes = bytes;
    }
    this.#forget.push(forget);
  }
}

export function createMasking(webhook: Secrets, kept: KeptMasks): Masking {
  let mask: Mask | undefined;
  return {
    captureBytes: bytesToMask(secretsOf(webhook), SHOWN_BODY_BYTES),
    get mask() {
      // Made for the first record: it costs more than a request.
      if (mask !== undefined) return mask;
      const made = createMask(secretsOf(webhook));
      mask = made;
      kept.keep(made, () => {
        mask = undefined;
      });
      return made;
    },
  };
}

function secretsOf({ url, headers, signing }: Secrets): string[] {
  const signed = [signing.sharedSecret, signing.previous?.secret].filter((secret) => secret !== undefined);
  return [...signed, ...Object.values(headers).flatMap(secretsOfHeader), ...secretsOfUrl(url)];
}
