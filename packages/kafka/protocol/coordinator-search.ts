import type kafkajs from "kafkajs";
import type { ConsumerGroupInternals } from "kafkajs/src/consumer/consumerGroup.js";
import { type Host, systemHost } from "#host";
import { fromClientError, typeOf } from "../errors.ts";

/** Brokers answer at once that they do not know the coordinator yet. */
const LOOK_AFTER_MS = 250;

const MOVES: ReadonlySet<unknown> = new Set([
  "NOT_COORDINATOR_FOR_GROUP",
  "GROUP_COORDINATOR_NOT_AVAILABLE",
  "GROUP_LOAD_IN_PROGRESS",
]);

/**
 * Looks for the broker that coordinates a group now. The client sends heartbeats and commits to the one that did so at the join; where that is another
 * one now, its consumer crashes, and the whole group joins again. The new coordinator reads the members from its log, so the group goes on where it is
 * found before their sessions end there, as with the Java client, and reading goes on meanwhile.
 */
export class CoordinatorSearch {
  readonly #host: Pick<Host, "delay">;
  #lost: kafkajs.Broker | undefined;
  #isOver = false;

  constructor(host: Pick<Host, "delay"> = systemHost) {
    this.#host = host;
  }

  /** The group's coordinator did not answer as such, and another is looked for. */
  isLost({ coordinator }: ConsumerGroupInternals): boolean {
    return this.#lost !== undefined && coordinator === this.#lost;
  }

  /** After a request to the coordinator that failed. False: the coordinator itself refused it. */
  begin(group: ConsumerGroupInternals, thrown: unknown): boolean {
    if (!MOVES.has(typeOf(thrown)) && fromClientError(thrown).code !== "unavailable") return false;
    if (!this.isLost(group)) void this.#look(group);
    return true;
  }

  end(): void {
    this.#isOver = true;
  }

  async #look(group: ConsumerGroupInternals): Promise<void> {
    const { cluster, coordinator, groupId } = group;
    this.#lost = coordinator;
    while (this.#lost === coordinator) {
      await this.#host.delay(LOOK_AFTER_MS);
      if (this.#isOver) return;
      const found = await cluster.findGroupCoordinator({ groupId }).catch(() => undefined);
      // The question has connected it again.
      if (this.#isOver) return await cluster.disconnect().catch(() => undefined);
      if (this.#lost !== coordinator) return;
      // A join may have found it first.
      if (group.coordinator !== coordinator) this.#lost = undefined;
      else if (found !== undefined) this.#found(group, found);
    }
  }

  #found(group: ConsumerGroupInternals, coordinator: kafkajs.Broker): void {
    this.#lost = undefined;
    group.coordinator = coordinator;
    if (group.offsetManager !== null) group.offsetManager.coordinator = coordinator;
  }
}
