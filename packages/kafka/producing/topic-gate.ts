import type { Host, Timer } from "#host";
import { backoffMs, isWorthLogging } from "../backoff.ts";
import { fromClientError } from "../errors.ts";
import type { KafkaLogger, OutgoingRecord } from "../types.ts";
import type { Delivery } from "./accumulator.ts";
import type { MetadataCache } from "./metadata.ts";

const RETRY_MS = { first: 50, max: 1_000 };

export interface TopicGateOptions {
  readonly metadata: Pick<MetadataCache, "partitionCount" | "fetch">;
  readonly logger: KafkaLogger;
  readonly host: Host;
  onOpen(record: OutgoingRecord, delivery: Delivery): void;
}

interface WaitingTopic {
  records: { readonly record: OutgoingRecord; readonly delivery: Delivery }[];
  failures: number;
  timer: Timer | undefined;
}

/** Holds records of a topic, in order, until its partition count is known: without it no partition can be chosen. */
export class TopicGate {
  readonly #options: TopicGateOptions;
  readonly #waiting = new Map<string, WaitingTopic>();
  #closed = false;

  constructor(options: TopicGateOptions) {
    this.#options = options;
  }

  pass(record: OutgoingRecord, delivery: Delivery): void {
    const waiting = this.#waiting.get(record.topic);
    if (waiting !== undefined) {
      waiting.records.push({ record, delivery });
    } else if (this.#options.metadata.partitionCount(record.topic) !== undefined) {
      this.#options.onOpen(record, delivery);
    } else {
      const topic: WaitingTopic = { records: [{ record, delivery }], failures: 0, timer: undefined };
      this.#waiting.set(record.topic, topic);
      void this.#open(record.topic, topic);
    }
  }

  close(): void {
    this.#closed = true;
    for (const { timer } of this.#waiting.values()) timer?.clear();
  }

  async #open(topic: string, waiting: WaitingTopic): Promise<void> {
    try {
      await this.#options.metadata.fetch(topic);
    } catch (thrown) {
      this.#tryLater(topic, waiting, fromClientError(thrown).message);
      return;
    }
    this.#waiting.delete(topic);
    for (const { record, delivery } of waiting.records) {
      if (!delivery.settled) this.#options.onOpen(record, delivery);
    }
  }

  #tryLater(topic: string, waiting: WaitingTopic, why: string): void {
    if (this.#closed) return;
    waiting.failures += 1;
    // Calls that have failed are not in the backlog any more: what they had to write must not stay here.
    waiting.records = waiting.records.filter(({ delivery }) => !delivery.settled);
    if (waiting.records.length === 0) {
      this.#waiting.delete(topic);
      return;
    }
    if (isWorthLogging(waiting.failures)) {
      this.#options.logger.warn(
        { topic, failures: waiting.failures },
        `partitions are not known yet: ${why}`,
      );
    }
    const { host } = this.#options;
    const delayMs = backoffMs(waiting.failures, RETRY_MS, host);
    waiting.timer = host.setTimeout(() => void this.#open(topic, waiting), delayMs);
  }
}
