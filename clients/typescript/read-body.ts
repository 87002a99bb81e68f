/** A body being received: node's IncomingMessage, or the `body` of fetch's Request. */
export type RequestBody = AsyncIterable<Uint8Array | string> & {
  /** Of node's streams: leaves the connection open for the answer when reading ends early. */
  readonly iterator?: (options: { destroyOnReturn: boolean }) => AsyncIterable<Uint8Array | string>;
};

export interface ReadBodyOptions {
  /** Default 1 MiB: a call is at most 32 KB before what Hookline adds to it. */
  readonly maxBytes?: number;
}

export type BodyReading =
  | { readonly ok: true; readonly body: Buffer }
  | {
      readonly ok: false;
      /** `body_incomplete`: the sender went away; `body_too_large`: the rest was not read. */
      readonly reason: "body_too_large" | "body_incomplete";
    };

const DEFAULT_MAX_BYTES = 1_048_576;

/** The exact bytes of a body, for verifying them. Never rejects. */
export async function readRawBody(
  body: RequestBody | null,
  { maxBytes = DEFAULT_MAX_BYTES }: ReadBodyOptions = {},
): Promise<BodyReading> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    const source = body?.iterator?.({ destroyOnReturn: false }) ?? body ?? [];
    for await (const chunk of source) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk, "utf8") : chunk;
      sizeBytes += bytes.length;
      if (sizeBytes > maxBytes) return { ok: false, reason: "body_too_large" };
      chunks.push(bytes);
    }
  } catch {
    return { ok: false, reason: "body_incomplete" };
  }
  return { ok: true, body: Buffer.concat(chunks) };
}
