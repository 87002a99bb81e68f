import type { Host, Timer } from "#host";
import { backoffMs, isWorthLogging } from "../backoff.ts";
import { NO_LEADER, type ProduceClient } from "../cluster.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import type { Hold, KafkaLogger, OutgoingRecord, Producer, ProducerOptions } from "../types.ts";
import { Accumulator, type Delivery, type PartitionBatch, sizeOf } from "./accumulator.ts";
import { sendInTime } from "./anywhere.ts";
import { BrokerInFlight, RETRY_MS } from "./broker-in-flight.ts";
import { Deliveries, isHeld, notHeld } from "./deliveries.ts";
import type { MetadataCache } from "./metadata.ts";
import { partitionOfKey } from "./partitioner.ts";
import { type FailedBatch, noneWritten, sortByOutcome } from "./produce-result.ts";
import { TopicGate } from "./topic-gate.ts";

/**
 * The linger bounds the requests of a producer to 250 a second: one costs client and broker half a millisecond of CPU time
 * together, whatever it carries.
 */
const DEFAULTS = { deliveryTimeoutMs: 30_000, lingerMs: 4, anyPartition: [] };

/** Requests under way to one broker at a time. At most one of them carries a given partition. */
const MAX_IN_FLIGHT_PER_BROKER = 4;

const LIMITS = {
  maxRecordsPerPartition: 1_000,
  maxBytesPerPartition: 900_000,
  maxBytesPerRequest: 4_000_000,
};

/** Waiting records from which on a request is worth sending at once. */
const FULL_ENOUGH_RECORDS = 200;

/** Failures in a row after which the connections are replaced. */
const RESET_AFTER_FAILURES = 5;

/** The longest wait for acknowledgements in `close`: as long as a process has to end (design: 8 s). */
const CLOSE_TIMEOUT_MS = 8_000;

export interface ProducerParts {
  readonly client: ProduceClient;
  readonly metadata: Pick<MetadataCache, "partitionCount" | "leader" | "fetch" | "renew">;
  readonly logger: KafkaLogger;
  readonly host: Host;
}

/**
 * Batches by itself: after a quiet time a record leaves in the same turn of the event loop; those that follow gather (fact 6)
 * until `lingerMs` after the last request, or until they fill one.
 */
export class BatchingProducer implements Producer {
  readonly #parts: ProducerParts;
  readonly #options: Required<ProducerOptions>;
  readonly #accumulator = new Accumulator(LIMITS);
  readonly #deliveries: Deliveries;
  readonly #brokers: BrokerInFlight;
  readonly #gate: TopicGate;
  /** The pauses of partitions. */
  readonly #pauses = new Set<Timer>();
  #keyless = 0;
  #flush: Timer | undefined;
  #linger: Timer | undefined;
  #sentAtMs = 0;
  #closed = false;

  constructor(parts: ProducerParts, options: ProducerOptions = {}) {
    this.#parts = parts;
    this.#options = { ...DEFAULTS, ...options };
    this.#deliveries = new Deliveries(parts.host);
    this.#brokers = new BrokerInFlight(MAX_IN_FLIGHT_PER_BROKER, () => this.#scheduleFlush(), parts.host);
    this.#gate = new TopicGate({
      metadata: parts.metadata,
      onOpen: (record, delivery) => this.#queue(record, delivery),
      logger: parts.logger,
      host: parts.host,
    });
  }

  get backlog(): Producer["backlog"] {
    return this.#deliveries.backlog;
  }

  send(records: readonly OutgoingRecord[], hold?: Hold): Promise<void> {
    return sendInTime(records, this.#options, (left, timeoutMs) => this.#send(left, timeoutMs, hold));
  }

  async #send(records: readonly OutgoingRecord[], timeoutMs: number, hold?: Hold): Promise<void> {
    if (this.#closed) throw new KafkaError("closed", "the producer is closed", { canRetry: false });
    if (hold?.isHeld === false) throw notHeld({ canRetry: false });
    if (records.length === 0) return;
    const sizeBytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    const { delivery, done } = this.#deliveries.open(records.length, sizeBytes, { hold, timeoutMs });
    this.#keyless += 1;
    for (const record of records) this.#gate.pass(record, delivery);
    return done;
  }

  giveUpLost(): void {
    this.#deliveries.failLost();
  }

  giveUp(): void {
    this.#closed = true;
    this.#deliveries.failAll();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#scheduleFlush();
    await this.#deliveries.drain(CLOSE_TIMEOUT_MS);
    this.#gate.close();
    this.#brokers.close();
    for (const pause of this.#pauses) pause.clear();
    this.#flush?.clear();
    this.#linger?.clear();
    await this.#parts.client.close();
  }

  #queue(record: OutgoingRecord, delivery: Delivery): void {
    const count = this.#parts.metadata.partitionCount(record.topic) ?? 1;
    const partition = record.key === null ? this.#keyless % count : partitionOfKey(record.key, count);
    this.#accumulator.add({ record, partition, delivery, sizeBytes: sizeOf(record) });
    this.#scheduleFlush();
  }

  /** Flushes after the current turn's reads, so that everything that arrived with them leaves together. */
  #scheduleFlush(): void {
    this.#flush ??= this.#parts.host.setImmediate(() => {
      this.#flush = undefined;
      this.#sendReady();
    });
  }

  #sendReady(): void {
    const waitMs = this.#closed || this.#accumulator.waiting >= FULL_ENOUGH_RECORDS ? 0 : this.#lingerMs();
    if (waitMs > 0) this.#linger ??= this.#parts.host.setTimeout(() => this.#sendAll(), waitMs);
    else this.#sendAll();
  }

  /** The rest of the linger. A clock that was put back makes it no longer. */
  #lingerMs(): number {
    const { lingerMs: given } = this.#options;
    const lingerMs = typeof given === "number" ? given : given();
    return Math.min(lingerMs, this.#sentAtMs + lingerMs - this.#parts.host.now());
  }

  #sendAll(): void {
    this.#linger?.clear();
    this.#linger = undefined;
    if (this.#accumulator.waiting === 0) return;
    this.#sentAtMs = this.#parts.host.now();
    const brokers = new Set<number>();
    const { metadata } = this.#parts;
    for (const partition of this.#accumulator.ready) brokers.add(metadata.leader(partition));
    for (const broker of brokers) {
      while (this.#brokers.isOpen(broker)) {
        const batches = this.#accumulator.take((partition) => metadata.leader(partition) === broker);
        if (batches.length === 0) break;
        void this.#dispatch(broker, batches);
      }
    }
  }

  async #dispatch(broker: number, batches: readonly PartitionBatch[]): Promise<void> {
    this.#brokers.enter(broker);
    const { written, failed, isAnswered } = await this.#trySending(batches);
    for (const batch of written) {
      this.#acknowledge(batch);
      this.#accumulator.release(batch);
    }
    const retried = failed.filter(({ error }) => error.canRetry);
    if (retried.length > 0) this.#retry(broker, retried, isAnswered);
    if (isAnswered || retried.length === 0) this.#brokers.succeeded(broker);
    for (const { batch, error } of failed) if (!error.canRetry) await this.#isolate(broker, batch, error);
    this.#brokers.leave(broker);
    if (this.#accumulator.waiting > 0) this.#scheduleFlush();
  }

  async #trySending(
    batches: readonly PartitionBatch[],
  ): Promise<ReturnType<typeof sortByOutcome> & { isAnswered: boolean }> {
    // It waits until it is known whose it is to write: then it goes on, or `giveUpLost` is called.
    if (!batches.every(isHeld))
      return { ...noneWritten(batches, notHeld({ canRetry: true })), isAnswered: true };
    try {
      return { ...sortByOutcome(batches, await this.#parts.client.send(batches)), isAnswered: true };
    } catch (thrown) {
      return { ...noneWritten(batches, fromClientError(thrown)), isAnswered: false };
    }
  }

  #acknowledge(batch: PartitionBatch): void {
    for (const { delivery, sizeBytes } of batch.records) this.#deliveries.acknowledge(delivery, sizeBytes);
  }

  /** A broker that answers is well: the partitions that it refuses pause, as those without a leader do, and no others. */
  #retry(broker: number, failed: readonly FailedBatch[], isAnswered: boolean): void {
    for (const { batch } of failed) this.#accumulator.putBack(batch);
    for (const topic of new Set(failed.map(({ batch }) => batch.topic))) this.#parts.metadata.renew(topic);
    if (isAnswered || broker === NO_LEADER) {
      const alike = Map.groupBy(failed, ({ batch }) => batch.failures + 1);
      for (const [failures, refused] of alike) this.#pause(broker, refused, failures);
      return;
    }
    const failures = this.#brokers.failed(broker);
    this.#logRetry(broker, failed, failures);
    for (const { batch } of failed) this.#accumulator.release(batch);
    if (failures % RESET_AFTER_FAILURES === 0) this.#parts.client.reset();
  }

  #pause(broker: number, refused: readonly FailedBatch[], failures: number): void {
    const { host } = this.#parts;
    this.#logRetry(broker, refused, failures);
    const release = (): void => {
      this.#pauses.delete(pause);
      for (const { batch } of refused) this.#accumulator.release(batch, failures);
      this.#scheduleFlush();
    };
    const pause = host.setTimeout(release, backoffMs(failures, RETRY_MS, host));
    this.#pauses.add(pause);
    // The client leaves out a partition that is newer than what it knows of the topic, and asks only over new connections.
    const isUnknown = broker !== NO_LEADER && refused.some(({ error }) => error.code === "unavailable");
    if (isUnknown && failures % RESET_AFTER_FAILURES === 0) this.#parts.client.reset();
  }

  #logRetry(broker: number, failed: readonly FailedBatch[], failures: number): void {
    const facts = { broker, failures, partitions: failed.length, error: failed[0]?.error.message };
    if (isWorthLogging(failures)) this.#parts.logger.warn(facts, "records are sent again");
  }

  /** A batch is refused as a whole: the one record that can never be written must not take the others along. */
  async #isolate(broker: number, batch: PartitionBatch, error: KafkaError): Promise<void> {
    const [only, ...others] = batch.records;
    if (only !== undefined && others.length === 0) this.#deliveries.fail(only.delivery, error);
    for (const [index, pending] of batch.records.entries()) {
      if (pending.delivery.settled) continue;
      const alone = { ...batch, records: [pending], sizeBytes: pending.sizeBytes };
      const { failed, isAnswered } = await this.#trySending([alone]);
      const [failure] = failed;
      if (failure === undefined) this.#acknowledge(alone);
      else if (failure.error.canRetry) {
        // Nothing after it may overtake it.
        const rest = { ...batch, records: batch.records.slice(index) };
        this.#retry(broker, [{ batch: rest, error: failure.error }], isAnswered);
        return;
      } else this.#deliveries.fail(pending.delivery, failure.error);
    }
    this.#accumulator.release(batch);
  }
}
