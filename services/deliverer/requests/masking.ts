// Masks a webhook's secrets that an endpoint may have sent back, in what is recorded and logged of its
// requests.
import { bytesToMask, createMask, MASK, type Mask, secretsOfHeader, secretsOfUrl } from "#secrets";
import type { Signing } from "./request-headers.ts";

/** The bytes of a response that are recorded. */
export const SHOWN_BODY_BYTES = 1_024;

export interface Masking {
  /** The bytes of a failure's body that are read: no secret that begins in the recorded part may be cut. */
  readonly captureBytes: number;
  /** Gives the work a mask that takes the webhook's secrets out of texts, or hides them whole once masking has had its share of the time. */
  masked<T>(work: (mask: Mask) => T): T;
}

interface Secrets {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signing: Pick<Signing, "sharedSecret" | "previous">;
}

/** A webhook's mask takes 8 KiB, with a long token 60: those of all webhooks would take the process's memory. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

const HIDING: Mask = Object.assign(() => MASK, { beginning: () => MASK, bytes: 0 });

/** Parts of the process's time: an answer that nearly is many long secrets takes 90 ms, and everybody's requests wait meanwhile. */
const SHARES = { webhook: 0.05, all: 0.2 } as const;
/** The share of so long may be spent at once: a collection of garbage may fall into a masking, and time without a core. */
const AT_ONCE_MS = 4_000;

class TimeShare {
  readonly #share: number;
  /** When what was spent is within the share again. */
  #evenAtMs = Number.NEGATIVE_INFINITY;

  constructor(share: number) {
    this.#share = share;
  }

  isLeft(nowMs: number): boolean {
    return this.#evenAtMs <= nowMs;
  }

  spend(fromMs: number, nowMs: number): void {
    this.#evenAtMs = Math.max(this.#evenAtMs, fromMs - AT_ONCE_MS) + (nowMs - fromMs) / this.#share;
  }
}

/** The masks that are kept for the next record, of all webhooks together. To make one again mostly takes a millisecond. */
export class KeptMasks {
  readonly elapsedMs: () => number;
  readonly time = new TimeShare(SHARES.all);
  readonly #maxBytes: number;
  #bytes = 0;
  #forget: (() => void)[] = [];

  constructor(elapsedMs: () => number, maxBytes = MAX_KEPT_BYTES) {
    this.elapsedMs = elapsedMs;
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
  const times = [new TimeShare(SHARES.webhook), kept.time];
  let mask: Mask | undefined;
  const made = (): Mask => {
    // Made for the first record: it costs more than a request.
    if (mask !== undefined) return mask;
    mask = createMask(secretsOf(webhook));
    kept.keep(mask, () => {
      mask = undefined;
    });
    return mask;
  };
  return {
    captureBytes: bytesToMask(secretsOf(webhook), SHOWN_BODY_BYTES),
    masked(work) {
      const fromMs = kept.elapsedMs();
      if (!times.every((time) => time.isLeft(fromMs))) return work(HIDING);
      const done = work(made());
      const endMs = kept.elapsedMs();
      for (const time of times) time.spend(fromMs, endMs);
      return done;
    },
  };
}

function secretsOf({ url, headers, signing }: Secrets): string[] {
  const signed = [signing.sharedSecret, signing.previous?.secret].filter((secret) => secret !== undefined);
  return [...signed, ...Object.values(headers).flatMap(secretsOfHeader), ...secretsOfUrl(url)];
}
