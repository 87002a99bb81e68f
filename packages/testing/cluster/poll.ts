import {
  fromClientError,
  type PollClient,
  type Polled,
  type PollWait,
  type TopicPartition,
  type Wanted,
} from "#kafka";
import type { ParkedFetch, Partition } from "./brokers.ts";
import type { Connection } from "./connection.ts";
import { ClusterError } from "./errors.ts";
import { ClientMetadata } from "./metadata.ts";

/** As the product's: poll-client.ts. */
const MAX_BYTES = 1024 * 1024;

/** Reading many partitions of one broker without a group. */
export class SimulatedPollClient implements PollClient {
  readonly #connection: Connection;
  readonly #metadata: ClientMetadata;
  readonly #waits = new Set<ParkedPoll>();
  #isClosed = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#metadata = new ClientMetadata(connection);
  }

  async leaders(topic: string): Promise<readonly number[]> {
    this.#unlessClosed();
    await this.#metadata.add([topic]);
    return this.#metadata.leadersOf(topic);
  }

  async poll(
    broker: number,
    wanted: readonly Wanted[],
    { maxMs, signal }: PollWait,
  ): Promise<readonly Polled[]> {
    this.#unlessClosed();
    return this.#connection.call({ api: "read", broker, partitions: wanted }, (reached) => {
      if (reached.kind === "refuse")
        return wanted.map((each) => refused(each, ClusterError.refused(reached.error)));
      const parked = new ParkedPoll(this.#connection, broker, wanted);
      const end = (): void => parked.end();
      this.#waits.add(parked);
      signal?.addEventListener("abort", end);
      if (signal?.aborted === true) end();
      return parked.run(maxMs).finally(() => {
        signal?.removeEventListener("abort", end);
        this.#waits.delete(parked);
      });
    });
  }

  async renew(): Promise<void> {
    await this.#metadata.refresh().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wait of this.#waits) wait.end();
  }

  #unlessClosed(): void {
    if (this.#isClosed) throw ClusterError.final(new Error("the poll client is closed"));
  }
}

/** One poll at its broker, until one of its partitions has something to say. */
class ParkedPoll implements ParkedFetch {
  readonly #connection: Connection;
  readonly #broker: number;
  readonly #wanted: readonly Wanted[];
  readonly #answer = Promise.withResolvers<readonly Polled[]>();
  readonly #parked: Partition[] = [];

  constructor(connection: Connection, broker: number, wanted: readonly Wanted[]) {
    this.#connection = connection;
    this.#broker = broker;
    this.#wanted = wanted;
  }

  run(maxWaitMs: number): Promise<readonly Polled[]> {
    if (this.#answerIfAny()) return this.#answer.promise;
    for (const wanted of this.#wanted) {
      const partition = this.#partitionOf(wanted);
      if (partition === undefined) continue;
      partition.parked.add(this);
      this.#parked.push(partition);
    }
    const timer = this.#connection.host.setTimeout(() => this.#answer.resolve(this.#readAll()), maxWaitMs);
    return this.#answer.promise.finally(() => {
      timer.clear();
      this.#leave();
    });
  }

  /** With nothing. */
  end(): void {
    this.#answer.resolve([]);
  }

  notify({ topic, partition }: TopicPartition): void {
    if (this.#connection.isDead) this.#leave();
    else if (
      this.#wanted.some((each) => each.topic === topic && each.partition === partition && this.#hasNews(each))
    )
      this.#answerIfAny();
  }

  #hasNews(wanted: Wanted): boolean {
    return this.#read(wanted).kind !== "nothing";
  }

  #leave(): void {
    for (const partition of this.#parked.splice(0)) partition.parked.delete(this);
  }

  #answerIfAny(): boolean {
    const polled = this.#readAll();
    const isAny = polled.some(({ kind }) => kind !== "nothing");
    if (isAny) {
      this.#leave();
      this.#answer.resolve(polled);
    }
    return isAny;
  }

  #readAll(): Polled[] {
    return this.#wanted.map((wanted) => this.#read(wanted));
  }

  #read(wanted: Wanted): Polled {
    const { offset, partition, topic } = wanted;
    const found = this.#partitionOf(wanted);
    if (found === undefined) return refused(wanted, ClusterError.refused("UNKNOWN_TOPIC_OR_PARTITION"));
    const { leader, log } = found;
    if (leader !== this.#broker) return refused(wanted, ClusterError.refused("NOT_LEADER_FOR_PARTITION"));
    if (offset < log.low || offset > log.high) return { topic, partition, kind: "out_of_range" };
    const read = log.read(offset, MAX_BYTES);
    return read === undefined
      ? { topic, partition, kind: "nothing", end: log.high }
      : { topic, partition, kind: "records", ...read, end: log.high };
  }

  #partitionOf({ topic, partition }: TopicPartition): Partition | undefined {
    return this.#connection.brokers.topics.get(topic)?.partitions[partition];
  }
}

function refused({ topic, partition }: TopicPartition, thrown: ClusterError): Polled {
  return { topic, partition, kind: "refused", error: fromClientError(thrown) };
}
