import type { Host } from "#host";
import type { FetchClient, PollClient } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import { withoutRepeats } from "../log.ts";
import { Shutdown } from "../shutdown.ts";
import type { FollowedTopic, Following, KafkaLogger } from "../types.ts";
import { BrokerPoll } from "./broker-poll.ts";
import { TopicFollowing } from "./topic-following.ts";

export interface FollowerParts {
  readonly client: PollClient;
  readonly range: Pick<FetchClient, "bounds">;
  readonly logger: KafkaLogger;
  readonly host: Host;
}

/**
 * Follows topics for a whole process, in no consumer group: all partitions of all of them in one request to each broker. After a failure
 * it goes on where it was; while Kafka is away it waits.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #ending: Shutdown;
  readonly #polls = new Map<number, BrokerPoll>();
  readonly #isNew: (line: string) => boolean;
  #renewing: Promise<void> | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#ending = new Shutdown(parts.host);
    this.#isNew = withoutRepeats(parts.host);
  }

  follow(topic: FollowedTopic): Following {
    const { client, host, logger } = this.#parts;
    const following = new TopicFollowing(topic, {
      leaders: (name) => client.leaders(name),
      renew: () => this.#renew(),
      pollOf: (broker) => this.#pollOf(broker),
      ending: this.#ending,
      isNew: this.#isNew,
      logger,
      host,
    });
    following.begin();
    return following;
  }

  close(): void {
    this.#ending.end(new KafkaError("closed", "the follower is closed", { canRetry: false }));
  }

  /** One for all who ask meanwhile. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#parts.client.renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  #pollOf(broker: number): BrokerPoll {
    const { client, host, range } = this.#parts;
    const poll =
      this.#polls.get(broker) ?? new BrokerPoll(broker, { client, range, host, ending: this.#ending });
    this.#polls.set(broker, poll);
    return poll;
  }
}
