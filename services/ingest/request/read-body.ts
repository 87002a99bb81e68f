import type { IncomingMessage } from "node:http";
import type { Host } from "#host";
import { sizeRejection } from "../judging/size-rejection.ts";
import { busy } from "../limits/load-gate.ts";
import type { Reservation } from "../limits/reservation.ts";
import type { Refusal } from "../refusal.ts";
import { BodyBuffer } from "./body-buffer.ts";

export type BodyReading =
  | { readonly kind: "read"; readonly bytes: Buffer }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The caller went away in the middle. */
  | { readonly kind: "aborted" };

/**
 * Bytes that gzip may add to a body that it cannot compress: a body at the limit must not fail for its
 * wrapping.
 */
const COMPRESSION_OVERHEAD_BYTES = 1_024;

/** Tiny chunks after which a sender is cut off. They cost no more than some dozens of requests. */
const MAX_TINY_CHUNKS = 4_096;
/**
 * Tiny chunks that cost no more than some requests. A request with more is the last of its connection:
 * thousands in each would never end otherwise.
 */
const MAX_KEPT_TINY_CHUNKS = 256;
/**
 * The average size below which a chunk is tiny. Reading a chunk costs as much as some hundreds of its bytes:
 * a sender of smaller ones makes work, and no calls.
 */
const TINY_CHUNK_BYTES = 32;

/** The chunks in which a request's body came. */
class Chunks {
  #count = 0;
  #sizeBytes = 0;

  add({ length }: Buffer): void {
    this.#count += 1;
    this.#sizeBytes += length;
  }

  isDribbled(maxCount: number = MAX_TINY_CHUNKS): boolean {
    return this.#count > maxCount && this.#sizeBytes < this.#count * TINY_CHUNK_BYTES;
  }
}

const lastOfConnection = new WeakSet<IncomingMessage>();

/** Whether the body was read, in so many tiny chunks that the answer is to close the connection. */
export function isLastOfConnection(request: IncomingMessage): boolean {
  return request.complete && lastOfConnection.has(request);
}

/** Collects the body as sent, no more than the limit. Nothing is read when its declared length already says too much; a sender of very many tiny chunks is cut off. */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
  reservation: Reservation,
): Promise<BodyReading> {
  const { "content-length": declared, "content-encoding": encoding } = request.headers;
  const wireLimitBytes = encoding === undefined ? limitBytes : limitBytes + COMPRESSION_OVERHEAD_BYTES;
  const tooLarge: BodyReading = {
    kind: "refused",
    refusal: { kind: "invalid", rejection: sizeRejection(limitBytes) },
  };
  if (Number(declared ?? 0) > wireLimitBytes) return Promise.resolve(tooLarge);
  const { promise, resolve } = Promise.withResolvers<BodyReading>();
  const chunks = new Chunks();
  const body = new BodyBuffer({ limitBytes: wireLimitBytes, reservation });

  function settle(reading: BodyReading): void {
    if (chunks.isDribbled(MAX_KEPT_TINY_CHUNKS)) lastOfConnection.add(request);
    request.off("data", onData).off("end", onEnd).off("close", onAbort);
    resolve(reading);
  }
  function onData(chunk: Buffer): void {
    chunks.add(chunk);
    const isKept = body.add(chunk);
    if (chunks.isDribbled()) {
      settle({ kind: "aborted" });
      request.socket.destroy();
    }
    if (isKept) return;
    const isTooLarge = body.sizeBytes + chunk.length > wireLimitBytes;
    settle(isTooLarge ? tooLarge : { kind: "refused", refusal: busy("waiting_bytes") });
  }
  function onEnd(): void {
    settle({ kind: "read", bytes: body.bytes() });
  }
  function onAbort(): void {
    settle({ kind: "aborted" });
  }
  request.on("data", onData).on("end", onEnd).on("close", onAbort).on("error", onAbort);
  return promise;
}

const MAX_DISCARDED_BYTES = 2_000_000;
const MAX_DISCARD_MS = 5_000;

/**
 * Reads the rest of a body that was refused and throws it away. Closing at once would reset the connection while the
 * caller is still writing, and the answer would be lost; keeping on for ever would let it send without end.
 */
export function discardBody(request: IncomingMessage, host: Pick<Host, "setTimeout">): void {
  const { socket } = request;
  const isOver = request.complete && request.readableLength === 0;
  if (isOver || socket.destroyed) return;
  let discardedBytes = 0;
  const chunks = new Chunks();
  const timer = host.setTimeout(() => socket.destroy(), MAX_DISCARD_MS);
  // The request itself tells nothing more once it is answered: only its end or the connection's.
  const stop = () => {
    timer.clear();
    socket.off("close", stop);
  };
  socket.once("close", stop);
  request.once("end", () => {
    stop();
    const isLast = lastOfConnection.has(request) || chunks.isDribbled(MAX_KEPT_TINY_CHUNKS);
    // The answer leaves before.
    if (isLast) socket.destroySoon();
  });
  request.on("data", (chunk: Buffer) => {
    discardedBytes += chunk.length;
    chunks.add(chunk);
    if (discardedBytes > MAX_DISCARDED_BYTES || chunks.isDribbled()) socket.destroy();
  });
  request.resume();
}
