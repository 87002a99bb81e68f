export interface BodyBufferOptions {
  readonly limitBytes: number;
  /** `grow` counts so many bytes more as held; false when there is no room for them. */
  readonly reservation: { grow(bytes: number): boolean };
}

/** The least memory that a request takes, its own objects included. */
const MIN_CAPACITY_BYTES = 1_024;

const NOTHING = Buffer.alloc(0);

/**
 * Collects a body. Chunks are copied into one buffer that doubles: a chunk of one byte takes 300 bytes of memory for as long as it is
 * kept. What is reserved is the buffer's capacity. A body that comes in one chunk, as nearly all do, is not copied.
 */
export class BodyBuffer {
  readonly #options: BodyBufferOptions;
  #held: Buffer = NOTHING;
  #capacityBytes = 0;
  #sizeBytes = 0;

  constructor(options: BodyBufferOptions) {
    this.#options = options;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** false: there is no room for it, or the body is over its limit. */
  add(chunk: Buffer): boolean {
    const { limitBytes } = this.#options;
    const neededBytes = this.#sizeBytes + chunk.length;
    if (neededBytes > limitBytes) return false;
    if (this.#sizeBytes === 0) {
      if (!this.#growTo(chunk.length)) return false;
      this.#held = chunk;
    } else {
      if (neededBytes > this.#held.length) {
        if (!this.#growTo(Math.min(neededBytes * 2, limitBytes))) return false;
        const larger = Buffer.allocUnsafeSlow(this.#capacityBytes);
        this.#held.copy(larger, 0, 0, this.#sizeBytes);
        this.#held = larger;
      }
      chunk.copy(this.#held, this.#sizeBytes);
    }
    this.#sizeBytes = neededBytes;
    return true;
  }

  /** All of it so far. */
  bytes(): Buffer {
    const { length } = this.#held;
    return length === this.#sizeBytes ? this.#held : this.#held.subarray(0, this.#sizeBytes);
  }

  #growTo(neededBytes: number): boolean {
    const wantedBytes = Math.max(neededBytes, MIN_CAPACITY_BYTES);
    if (!this.#options.reservation.grow(wantedBytes - this.#capacityBytes)) return false;
    this.#capacityBytes = wantedBytes;
    return true;
  }
}
