import type { Host, Timer } from "#host";
import { KafkaError } from "../errors.ts";
import type { Hold, Producer } from "../types.ts";
import type { Delivery, PartitionBatch } from "./accumulator.ts";

/** Interval of the search for overdue calls. */
const SWEEP_MS = 100;

export function isHeld({ records }: PartitionBatch): boolean {
  return records.every(({ delivery }) => delivery.hold?.isHeld !== false);
}

interface OpenDelivery extends Delivery {
  remainingBytes: number;
}

export function notHeld({ canRetry }: { readonly canRetry: boolean }): KafkaError {
  return new KafkaError("aborted", "what was to be written may be another's to write by now", { canRetry });
}

/** The calls of `send` that are not settled, oldest first, with their deadlines and what they add up to. */
export class Deliveries {
  readonly #host: Host;
  readonly #open = new Set<OpenDelivery>();
  #records = 0;
  #bytes = 0;
  #sweep: Timer | undefined;
  #onDrained: (() => void) | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  get backlog(): Producer["backlog"] {
    const [oldest] = this.#open;
    return { records: this.#records, bytes: this.#bytes, oldestElapsedMs: oldest?.queuedElapsedMs };
  }

  open(
    records: number,
    sizeBytes: number,
    { hold, timeoutMs }: { readonly hold: Hold | undefined; readonly timeoutMs: number },
  ): { delivery: Delivery; done: Promise<void> } {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const queuedElapsedMs = this.#host.elapsed();
    const delivery: OpenDelivery = {
      settled: false,
      remaining: records,
      remainingBytes: sizeBytes,
      queuedElapsedMs,
      deadlineElapsedMs: queuedElapsedMs + timeoutMs,
      hold,
      resolve,
      reject,
    };
    this.#open.add(delivery);
    this.#records += records;
    this.#bytes += sizeBytes;
    if (timeoutMs !== Number.POSITIVE_INFINITY)
      this.#sweep ??= this.#host.setInterval(() => this.#failOverdue(), SWEEP_MS);
    return { delivery, done: promise };
  }

  /** One record of the call is written. */
  acknowledge(delivery: Delivery, sizeBytes: number): void {
    if (delivery.settled) return;
    const open = delivery as OpenDelivery;
    open.remaining -= 1;
    open.remainingBytes -= sizeBytes;
    this.#records -= 1;
    this.#bytes -= sizeBytes;
    if (open.remaining === 0) {
      this.#settle(open);
      open.resolve();
    }
  }

  fail(delivery: Delivery, error: Error): void {
    if (delivery.settled) return;
    this.#settle(delivery as OpenDelivery);
    delivery.reject(error);
  }

  /** Resolves when no call is open; after `timeoutMs` those that are left fail. */
  async drain(timeoutMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onDrained = resolve;
    const timer = this.#host.setTimeout(() => this.failAll(), timeoutMs);
    await promise;
    timer.clear();
  }

  /** Records of those whose hold is not held are not sent again. */
  failLost(): void {
    for (const delivery of this.#open)
      if (delivery.hold?.isHeld === false) this.fail(delivery, notHeld({ canRetry: false }));
  }

  /** Records of these are not sent again. */
  failAll(): void {
    const message = "the producer was closed before the acknowledgement";
    const error = new KafkaError("closed", message, { canRetry: false });
    for (const delivery of this.#open) this.fail(delivery, error);
  }

  #settle(delivery: OpenDelivery): void {
    delivery.settled = true;
    this.#open.delete(delivery);
    this.#records -= delivery.remaining;
    this.#bytes -= delivery.remainingBytes;
    if (this.#open.size > 0) return;
    this.#sweep?.clear();
    this.#sweep = undefined;
    this.#onDrained?.();
  }

  #failOverdue(): void {
    const nowMs = this.#host.elapsed();
    for (const delivery of this.#open) {
      // Deadlines are in order, but for those who have none; nothing is sent while it is not known whose it is to write.
      const { deadlineElapsedMs, hold } = delivery;
      if (deadlineElapsedMs === Number.POSITIVE_INFINITY || hold?.isHeld === false) continue;
      if (deadlineElapsedMs > nowMs) return;
      const waitedMs = Math.round(nowMs - delivery.queuedElapsedMs);
      this.fail(
        delivery,
        new KafkaError("delivery_timeout", `not acknowledged within ${waitedMs} ms`, { canRetry: true }),
      );
    }
  }
}
