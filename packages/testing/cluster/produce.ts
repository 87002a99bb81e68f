import { fromClientError, type PartitionOutcome, type ProduceBatch, type ProduceClient } from "#kafka";
import { notify, type Partition } from "./brokers.ts";
import type { Connection, Reached } from "./connection.ts";
import { ClusterError, type Refusal, refusalOf } from "./errors.ts";
import { ClientMetadata } from "./metadata.ts";

const STALE: ReadonlySet<Refusal | undefined> = new Set([
  "NOT_LEADER_FOR_PARTITION",
  "LEADER_NOT_AVAILABLE",
  "UNKNOWN_TOPIC_OR_PARTITION",
]);

/** As message.max.bytes, of what is not compressed here. */
const MAX_BATCH_BYTES = 1_048_588;

function sizeOf({ records }: ProduceBatch): number {
  return records.reduce((bytes, { record }) => bytes + (record.value?.length ?? 0), 0);
}

/** What one broker made of its part of a request. */
interface Answer {
  readonly outcomes: readonly PartitionOutcome[];
  readonly failure: ClusterError | undefined;
}

/** One producer's connections: a request goes to each leader that the producer knows. */
export class SimulatedProduceClient implements ProduceClient {
  readonly #connection: Connection;
  #metadata: ClientMetadata;
  #isClosed = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#metadata = new ClientMetadata(connection);
  }

  async send(batches: readonly ProduceBatch[]): Promise<readonly PartitionOutcome[]> {
    if (this.#isClosed) throw ClusterError.final(new Error("the producer is disconnected"));
    await this.#metadata.add([...new Set(batches.map(({ topic }) => topic))]);
    const byBroker = Map.groupBy(batches, (batch) => this.#metadata.leader(batch));
    const nowMs = this.#connection.host.now();
    // As the client's: the first that fails is all that is learned of the whole request, whatever the others wrote.
    const answers = await Promise.all(
      Array.from(byBroker, ([broker, ofBroker]) => this.#ask(broker, ofBroker, nowMs)),
    ).catch(async (thrown: unknown) => {
      await this.#metadata.refresh().catch(() => undefined);
      throw thrown;
    });
    const failed = answers.find(({ failure }) => failure !== undefined);
    if (failed === undefined) return answers.flatMap(({ outcomes }) => outcomes);
    if (STALE.has(refusalOf(failed.failure))) await this.#metadata.refresh().catch(() => undefined);
    return failed.outcomes;
  }

  reset(): void {
    this.#metadata = new ClientMetadata(this.#connection);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #ask(broker: number, batches: readonly ProduceBatch[], nowMs: number): Promise<Answer> {
    const asked = { api: "produce", broker, partitions: batches } as const;
    return this.#connection.call(asked, (reached) => this.#write(broker, batches, { reached, nowMs }));
  }

  #write(
    broker: number,
    batches: readonly ProduceBatch[],
    { reached, nowMs }: { reached: Reached; nowMs: number },
  ): Answer {
    const outcomes: PartitionOutcome[] = [];
    const written: Partition[] = [];
    let failure: ClusterError | undefined;
    for (const batch of batches) {
      const { topic, partition } = batch;
      if (reached.kind === "leave_out" && reached.only(batch)) continue;
      try {
        if (reached.kind === "refuse" && reached.only?.(batch) !== false)
          throw ClusterError.refused(reached.error);
        const found = this.#connection.brokers.led(batch, broker);
        if (sizeOf(batch) > MAX_BATCH_BYTES) throw ClusterError.refused("MESSAGE_TOO_LARGE");
        if (this.#append(found, batch, nowMs)) written.push(found);
        outcomes.push({ topic, partition, error: undefined });
      } catch (thrown) {
        if (!(thrown instanceof ClusterError)) throw thrown;
        failure ??= thrown;
        outcomes.push({ topic, partition, error: fromClientError(thrown) });
      }
    }
    for (const partition of written) notify(partition);
    return { outcomes, failure };
  }

  /** Returns whether the batch is new to the partition. */
  #append({ log, producers }: Partition, { producer, records }: ProduceBatch, nowMs: number): boolean {
    if (producer !== undefined && producers.isKnown(producer)) return false;
    const appended = log.append(
      records.map(({ record }) => record),
      nowMs,
    );
    for (const record of appended) this.#connection.appended(record);
    const [first] = appended;
    if (producer !== undefined && first !== undefined)
      producers.taken(producer, first.offset, records.length);
    return true;
  }
}
