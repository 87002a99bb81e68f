/** Collects a body from its chunks. */
export interface BodyBuffer {
  /** false: there is no room for it, or the body is over its limit. */
  add(chunk: Buffer): boolean;
  readonly sizeBytes: number;
  /** All of it so far. */
  bytes(): Buffer;
}

export interface BodyBufferOptions {
  readonly limitBytes: number;
  /** Counts so many bytes more as held; false when there is no room for them. */
  reserve(bytes: number): boolean;
}

/** What a request takes at the least, its own objects included. */
const MIN_CAPACITY_BYTES = 1_024;

/**
 * Copies the chunks into one buffer that doubles: a chunk of one byte takes 300 bytes of memory for as long as it is kept. What is
 * reserved is the buffer's capacity. A body that comes in one chunk, as nearly all do, is not copied.
 */
export function createBodyBuffer({ limitBytes, reserve }: BodyBufferOptions): BodyBuffer {
  let held: Buffer = Buffer.alloc(0);
  let capacityBytes = 0;
  let sizeBytes = 0;

  function growTo(neededBytes: number): boolean {
    const wantedBytes = Math.max(neededBytes, MIN_CAPACITY_BYTES);
    if (!reserve(wantedBytes - capacityBytes)) return false;
    capacityBytes = wantedBytes;
    return true;
  }

  return {
    add(chunk) {
      const neededBytes = sizeBytes + chunk.length;
      if (neededBytes > limitBytes) return false;
      if (sizeBytes === 0) {
        if (!growTo(chunk.length)) return false;
        held = chunk;
      } else {
        if (neededBytes > held.length) {
          if (!growTo(Math.min(neededBytes * 2, limitBytes))) return false;
          const larger = Buffer.allocUnsafeSlow(capacityBytes);
          held.copy(larger, 0, 0, sizeBytes);
          held = larger;
        }
        chunk.copy(held, sizeBytes);
      }
      sizeBytes = neededBytes;
      return true;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    bytes: () => held.subarray(0, sizeBytes),
  };
}
