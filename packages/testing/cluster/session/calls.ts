import type { Host } from "#host";
import type { CommittedOffset, SessionOptions, TopicPartition } from "#kafka";
import type { Connection } from "../connection.ts";
import type { Coordinators, Kept } from "../coordinators.ts";
import { ClusterError, nameOf, refusalOf } from "../errors.ts";
import type { Api } from "../faults.ts";
import type { Group } from "../group.ts";
import type { ClientMetadata } from "../metadata.ts";
import type { Place, Places } from "./places.ts";
import { Bail, retrying } from "./retrier.ts";

export interface CallsParts {
  readonly connection: Connection;
  readonly coordinators: Coordinators;
  readonly options: SessionOptions;
}

const NOTHING: Kept = { offset: -1, metadata: undefined };

/** What one consumer asks the brokers, one try each, until it is disconnected. */
export class Calls {
  readonly #parts: CallsParts;
  #isDisconnected = false;

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  get host(): Host {
    return this.#parts.connection.host;
  }

  /** Nothing that is asked any more gets out. */
  disconnect(): void {
    this.#isDisconnected = true;
  }

  ask<R>(api: Api, broker: number, work: () => R | Promise<R>): Promise<R> {
    const { connection, options } = this.#parts;
    if (this.#isDisconnected) return Promise.reject(ClusterError.closed(broker));
    return connection.call({ api, broker, groupId: options.groupId }, (reached) => {
      if (reached.kind === "refuse") throw ClusterError.refused(reached.error);
      return work();
    });
  }

  /** Asks the group at the broker that is thought to be its coordinator. */
  askGroup<R>(api: Api, coordinator: number, work: (group: Group) => R | Promise<R>): Promise<R> {
    const { coordinators, options } = this.#parts;
    return this.ask(api, coordinator, () => work(coordinators.at(coordinator, options.groupId)));
  }

  /** Several tries, as the client's. */
  findCoordinator(): Promise<number> {
    const { connection, coordinators, options } = this.#parts;
    return retrying(this.host, async () => {
      try {
        const broker = connection.anyBroker();
        return await this.ask("find_coordinator", broker, () => coordinators.find(options.groupId));
      } catch (thrown) {
        const isPassing =
          refusalOf(thrown) === "GROUP_COORDINATOR_NOT_AVAILABLE" ||
          nameOf(thrown) === "KafkaJSConnectionError";
        throw isPassing ? thrown : new Bail(thrown);
      }
    });
  }

  /** In the generation of these places, at the coordinator of their join. */
  commit(
    { memberId, generation, coordinator }: Places,
    positions: readonly CommittedOffset[],
  ): Promise<void> {
    const { connection, coordinators, options } = this.#parts;
    const { process } = connection;
    const request = { process, groupId: options.groupId, memberId, generation, positions };
    return this.ask("commit", coordinator, () => coordinators.commit(coordinator, request));
  }

  /** Of each place; -1 where nothing is committed. */
  committed(coordinator: number, places: readonly Place[]): Promise<CommittedOffset[]> {
    const { coordinators } = this.#parts;
    return this.askGroup("committed", coordinator, ({ groupId }) =>
      places.map(({ topic, partition }) => {
        const { offset, metadata } = coordinators.committed(groupId, topic).get(partition) ?? NOTHING;
        return { topic, partition, offset, metadata };
      }),
    );
  }

  /** First offset of the place's log at or after the time; its end where there is none. */
  offsetAt(place: TopicPartition, metadata: ClientMetadata, timestampMs: number): Promise<number> {
    const { brokers } = this.#parts.connection;
    const leader = metadata.leader(place);
    return this.ask("list_offsets", leader, () => brokers.led(place, leader).log.offsetAt(timestampMs));
  }

  /** Where the logs of these places begin and end, by the leaders that the client knows. */
  async bounds(
    places: readonly TopicPartition[],
    metadata: ClientMetadata,
  ): Promise<Map<TopicPartition, { readonly low: number; readonly high: number }>> {
    const { brokers } = this.#parts.connection;
    const byLeader = Map.groupBy(places, (place) => metadata.leader(place));
    const answers = await Promise.all(
      Array.from(byLeader, ([broker, ofLeader]) =>
        this.ask("list_offsets", broker, () =>
          ofLeader.map((place) => {
            const { low, high } = brokers.led(place, broker).log;
            return [place, { low, high }] as const;
          }),
        ),
      ),
    );
    return new Map(answers.flat());
  }
}
