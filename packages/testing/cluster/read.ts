import type { Bounds, FetchClient, Fetched, TopicPartition } from "#kafka";
import { NO_LEADER } from "./brokers.ts";
import type { Connection, Reached } from "./connection.ts";
import { ClusterError } from "./errors.ts";
import { ClientMetadata } from "./metadata.ts";

/** As the product's: fetch-client.ts. */
const MAX_WAIT_MS = 100;
const MAX_BYTES = 1024 * 1024;

/** Reading without a group. */
export class SimulatedFetchClient implements FetchClient {
  readonly #connection: Connection;
  readonly #metadata: ClientMetadata;
  #isClosed = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#metadata = new ClientMetadata(connection);
  }

  async bounds(partition: TopicPartition): Promise<Bounds | undefined> {
    const leader = await this.#leaderOf(partition);
    if (leader === undefined) return undefined;
    return this.#connection.call(
      { api: "list_offsets", broker: leader, partitions: [partition] },
      (reached) => {
        refuse(reached);
        const { log } = this.#connection.brokers.led(partition, leader);
        return { low: log.low, high: log.high };
      },
    );
  }

  async fetch(partition: TopicPartition, offset: number): Promise<Fetched> {
    const leader = await this.#leaderOf(partition);
    if (leader === undefined) throw ClusterError.refused("UNKNOWN_TOPIC_OR_PARTITION");
    return this.#connection.call({ api: "read", broker: leader, partitions: [partition] }, (reached) => {
      refuse(reached);
      return this.#read(partition, leader, offset);
    });
  }

  async renew(): Promise<void> {
    await this.#metadata.refresh().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #read(partition: TopicPartition, leader: number, offset: number): Fetched | Promise<Fetched> {
    const { log } = this.#connection.brokers.led(partition, leader);
    if (offset < log.low || offset > log.high) return { kind: "out_of_range" };
    const read = log.read(offset, MAX_BYTES);
    if (read !== undefined) return { kind: "records", ...read };
    return this.#connection.host.delay(MAX_WAIT_MS).then(() => ({ kind: "nothing" }));
  }

  /** Undefined when there is no such partition. */
  async #leaderOf(partition: TopicPartition): Promise<number | undefined> {
    if (this.#isClosed) throw ClusterError.final(new Error("the fetch client is closed"));
    await this.#metadata.add([partition.topic]);
    if (this.#metadata.leadersOf(partition.topic)[partition.partition] === undefined) return undefined;
    const leader = this.#metadata.leader(partition);
    if (leader === NO_LEADER) throw ClusterError.refused("LEADER_NOT_AVAILABLE");
    return leader;
  }
}

function refuse(reached: Reached): void {
  if (reached.kind === "refuse") throw ClusterError.refused(reached.error);
}
