import { fromClientError, type MemberAssignment, type SessionHandlers, type SessionOptions } from "#kafka";
import { refusalOf } from "../errors.ts";
import type { JoinAnswer } from "../members.ts";
import type { ClientMetadata } from "../metadata.ts";
import type { Calls } from "./calls.ts";
import { Places } from "./places.ts";

export interface MembershipParts {
  readonly process: string;
  readonly calls: Calls;
  readonly metadata: ClientMetadata;
  readonly options: SessionOptions;
  readonly handlers: SessionHandlers;
}

const REBALANCING: ReadonlySet<string | undefined> = new Set([
  "REBALANCE_IN_PROGRESS",
  "NOT_COORDINATOR_FOR_GROUP",
  "ILLEGAL_GENERATION",
]);

export function isRebalancing(thrown: unknown): boolean {
  return REBALANCING.has(refusalOf(thrown));
}

/** Refusals of a join or a sync after which the client begins both again. */
export function isTriedAgain(thrown: unknown): boolean {
  return isRebalancing(thrown) || refusalOf(thrown) === "UNKNOWN_MEMBER_ID";
}

/** Who a consumer is in its group: by which id, in which generation, with which coordinator. */
export class Membership {
  readonly #parts: MembershipParts;
  #memberId: string | undefined;
  #generation = 0;
  #coordinator = 0;
  /** The id that a lost session had, until the group has taken it or does not know it. */
  #lent: string | undefined;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
    this.#lent = parts.options.rejoinAs;
  }

  get isMember(): boolean {
    return this.#memberId !== undefined;
  }

  /** The group does not know the member: it joins as a new one. */
  forget(): void {
    this.#memberId = undefined;
  }

  /** One try; resolves to the places of the new generation. */
  async join(): Promise<Places> {
    const { calls, handlers, options } = this.#parts;
    this.#coordinator = await calls.findCoordinator();
    await handlers.onRebalancing();
    const joined = await this.#ask().catch((thrown: unknown) => {
      handlers.onJoinFailed();
      throw thrown;
    });
    const { memberId, generation } = joined;
    const coordinator = this.#coordinator;
    this.#memberId = memberId;
    // Heartbeats of the other fetchers are of this generation from now on, commits only once it is synced.
    this.#generation = generation;
    const assignment = await this.#sync(joined).catch((thrown: unknown) => {
      // What the client does not try again: it goes on with what it had before (packages/kafka/protocol/client-group.ts).
      if (!isTriedAgain(thrown)) handlers.onCrash(fromClientError(thrown));
      throw thrown;
    });
    const { partitionsByTopic, userData } = assignment;
    const assigned = [...partitionsByTopic].flatMap(([topic, partitions]) =>
      options.topics.includes(topic) ? partitions.map((partition) => ({ topic, partition })) : [],
    );
    return new Places({ memberId, generation, coordinator, userData }, assigned);
  }

  heartbeat(): Promise<void> {
    const memberId = this.#memberId ?? "";
    const generation = this.#generation;
    return this.#parts.calls.askGroup("heartbeat", this.#coordinator, (group) =>
      group.heartbeat(memberId, generation),
    );
  }

  async leave(): Promise<void> {
    const memberId = this.#memberId;
    if (memberId === undefined) return;
    await this.#parts.calls.askGroup("leave", this.#coordinator, (group) => group.leave(memberId));
    this.#memberId = undefined;
  }

  async #ask(): Promise<JoinAnswer> {
    const { calls, options, process } = this.#parts;
    const { sessionTimeoutMs, rebalanceTimeoutMs, assigner, topics } = options;
    const memberId = this.#memberId ?? this.#lent;
    const userData = assigner.userData();
    try {
      const joined = await calls.askGroup("join", this.#coordinator, (group) =>
        group.join({ process, memberId, topics, sessionTimeoutMs, rebalanceTimeoutMs, userData }),
      );
      this.#lent = undefined;
      return joined;
    } catch (thrown) {
      if (refusalOf(thrown) === "UNKNOWN_MEMBER_ID") this.#lent = undefined;
      throw thrown;
    }
  }

  /** The leader deals the partitions that it knows of. */
  async #sync(joined: JoinAnswer): Promise<MemberAssignment> {
    const { calls, metadata, options } = this.#parts;
    const { memberId, generation, leaderId, members } = joined;
    const isLeader = leaderId === memberId;
    const topics = new Set([...options.topics, ...members.flatMap((member) => member.topics)]);
    if (isLeader) {
      await metadata.refresh();
      if (topics.size > options.topics.length) await metadata.add([...topics]);
    }
    const counts = new Map(Array.from(topics, (topic) => [topic, metadata.leadersOf(topic).length]));
    const assignment = isLeader ? options.assigner.assign(members, counts) : new Map();
    return calls.askGroup("sync", this.#coordinator, (group) => group.sync(memberId, generation, assignment));
  }
}
