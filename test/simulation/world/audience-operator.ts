import { userProfileId } from "#audiences";
import { connect } from "#connection";
import type { OutgoingRecord, Producer } from "#kafka";
import type { Serde } from "#serde";
import { EPOCH_MS, type VirtualHost } from "#testing/host";
import { type ProfileEventRecord, profileEvent } from "#topics";
import type { AudienceWrite, ProfileWrite } from "../plan/plan.ts";
import type { World } from "./world.ts";

const AGAIN_AFTER_MS = 500;

/** Who makes and changes audiences, imports, suppresses and deletes users, as control would write all that. Nothing happens to its process. */
export class AudienceOperator {
  readonly #world: World;
  readonly #host: VirtualHost;
  readonly #serde: Serde;
  readonly #producer: Producer;
  #started: Promise<void> | undefined;
  /** One after the other: a version of an audience never comes before the one that it replaces. */
  #last: Promise<void> = Promise.resolve();

  constructor(world: World) {
    const name = "audience-operator";
    this.#world = world;
    this.#host = world.host(name);
    const { kafka, serde } = connect(
      {
        kafka: { brokers: [], clientId: name, tls: false },
        registryUrl: "http://simulated",
        topics: [world.topics.audienceConfig, world.topics.profileEvents],
      },
      world.ways(name, this.#host),
    );
    this.#serde = serde;
    this.#producer = kafka.durableProducer();
  }

  begin(): void {
    for (const each of this.#world.plan.audiences) {
      this.#world.time.after(each.atMs, () => {
        this.#last = this.#last.then(() => this.#write(each));
      });
    }
    for (const each of this.#world.plan.profileWrites)
      this.#world.time.after(each.atMs, () => {
        this.#last = this.#last.then(() => this.#happen(each));
      });
  }

  async #write({ config }: AudienceWrite): Promise<void> {
    await this.#start();
    const { audienceConfig } = this.#world.topics;
    const value = this.#serde.encode(audienceConfig, config);
    this.#world.trace.add("operator", `writes ${config.key}, generation ${config.generation}`);
    await this.#send({ topic: audienceConfig.name, key: config.id, value });
  }

  /** A deletion's moment is before it is written, as control's is; so is that of an import. */
  async #happen(write: ProfileWrite): Promise<void> {
    await this.#start();
    const { userId } = write;
    const { profileEvents } = this.#world.topics;
    const event = eventOf(write, EPOCH_MS + this.#world.time.nowMs);
    const value = this.#serde.encode(profileEvents, event);
    this.#world.trace.add("operator", `writes a ${event.kind} of ${userId}`);
    await this.#send({ topic: profileEvents.name, key: userProfileId(userId), value });
  }

  #start(): Promise<void> {
    this.#started ??= this.#serde.start();
    return this.#started;
  }

  /** As somebody who reads that it failed, and does it again. */
  async #send(record: OutgoingRecord): Promise<void> {
    for (;;) {
      try {
        await this.#producer.send([record]);
        return;
      } catch {
        await this.#host.delay(AGAIN_AFTER_MS);
      }
    }
  }
}

function eventOf({ list, suppression }: ProfileWrite, atMs: number): ProfileEventRecord {
  if (suppression !== undefined) {
    const { isSuppressed, sourceId } = suppression;
    return profileEvent("suppress", { isSuppressed, suppressedIn: sourceId });
  }
  if (list === undefined) return profileEvent("delete", { deletedAtMs: atMs });
  return profileEvent("list", { listId: list.id, isMember: list.isMember, listedAtMs: atMs });
}
