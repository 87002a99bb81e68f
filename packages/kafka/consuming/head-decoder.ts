import type { Host } from "#host";
import { backoffMs } from "../backoff.ts";
import { DECODE_AGAIN_MS, isPoison, isPromise, reportUndecoded } from "../decoding.ts";
import { toError } from "../errors.ts";
import type { KafkaLogger, RawRecord } from "../types.ts";
import { type Held, received } from "./held.ts";

export interface HeadDecoderParts<T> {
  decode(record: RawRecord): T | Promise<T>;
  readonly logger: KafkaLogger;
  readonly host: Host;
  /** The head that was waited for may be looked at again. */
  onReady(): void;
  /** The head cannot be decoded now. In ms: when to look at it again. */
  onFailed(head: Held<T>, retryInMs: number): void;
}

/** Decodes the record at the head of a partition: at once, or as soon as its schema can be had; finds out which can never be decoded. */
export class HeadDecoder<T> {
  readonly #parts: HeadDecoderParts<T>;
  #isWaiting = false;
  #failures = 0;

  constructor(parts: HeadDecoderParts<T>) {
    this.#parts = parts;
  }

  /** True when the head is decoded, or known as undecodable. */
  isDecoded(head: Held<T>): boolean {
    if (head.received !== undefined || head.poison !== undefined) return true;
    if (this.#isWaiting) return false;
    try {
      const decoded = this.#parts.decode(head.record);
      if (isPromise(decoded)) void this.#wait(head, decoded);
      else this.#succeed(head, decoded);
    } catch (thrown) {
      this.#fail(head, thrown);
    }
    return head.received !== undefined || head.poison !== undefined;
  }

  async #wait(head: Held<T>, decoding: Promise<T>): Promise<void> {
    this.#isWaiting = true;
    try {
      this.#succeed(head, await decoding);
    } catch (thrown) {
      this.#fail(head, thrown);
    } finally {
      this.#isWaiting = false;
    }
    this.#parts.onReady();
  }

  #succeed(head: Held<T>, decoded: T): void {
    this.#failures = 0;
    head.received = received(head.record, decoded);
  }

  #fail(head: Held<T>, thrown: unknown): void {
    const error = toError(thrown);
    if (isPoison(thrown)) {
      head.poison = error;
      return;
    }
    this.#failures += 1;
    const { host, logger } = this.#parts;
    reportUndecoded(head.record, { error, failures: this.#failures, logger });
    this.#parts.onFailed(head, backoffMs(this.#failures, DECODE_AGAIN_MS, host));
  }
}
