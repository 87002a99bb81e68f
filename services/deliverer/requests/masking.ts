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

export function createMasking({ url, headers, signing }: Secrets): Masking {
  const signed = [signing.sharedSecret, signing.previous?.secret].filter((secret) => secret !== undefined);
  const secrets = [...signed, ...Object.values(headers).flatMap(secretsOfHeader), ...secretsOfUrl(url)];
  let mask: Mask | undefined;
  return {
    captureBytes: bytesToMask(secrets, SHOWN_BODY_BYTES),
    get mask() {
      // Made for the first record: it costs more than a request.
      mask ??= createMask(secrets);
      return mask;
    },
  };
}
