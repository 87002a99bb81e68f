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
      /** `body_incomplete`: the sender went away, or was too slow; `body_too_large`: the rest was not read. */
      readonly reason: "body_too_large" | "body_incomplete";
    };

const DEFAULT_MAX_BYTES = 1_048_576;

const FIRST_CAPACITY_BYTES = 4_096;

/** Chunks copied into one buffer that doubles: a chunk of one byte takes hundreds of bytes for as long as it is kept. */
class Collected {
  sizeBytes = 0;
  #buffer = Buffer.alloc(0);

  add(chunk: Uint8Array): void {
    const neededBytes = this.sizeBytes + chunk.length;
    if (neededBytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes * 2, FIRST_CAPACITY_BYTES));
      this.#buffer.copy(larger, 0, 0, this.sizeBytes);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.sizeBytes);
    this.sizeBytes = neededBytes;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.sizeBytes);
  }
}

/** The exact bytes of a body, for verifying them. Never rejects. */
export async function readRawBody(
  body: RequestBody | null,
  { maxBytes = DEFAULT_MAX_BYTES }: ReadBodyOptions = {},
): Promise<BodyReading> {
  const collected = new Collected();
  try {
    const source = body?.iterator?.({ destroyOnReturn: false }) ?? body ?? [];
    for await (const chunk of source) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk, "utf8") : chunk;
      if (collected.sizeBytes + bytes.length > maxBytes) return { ok: false, reason: "body_too_large" };
      collected.add(bytes);
    }
  } catch {
    return { ok: false, reason: "body_incomplete" };
  }
  return { ok: true, body: collected.bytes() };
}
