import { connect } from "#connection";
import type { Producer } from "#kafka";
import type { Serde } from "#serde";
import type { VirtualHost } from "../host/virtual-host.ts";
import type { AudienceWrite } from "../plan/plan.ts";
import type { World } from "./world.ts";

const AGAIN_AFTER_MS = 500;

/** Who makes and changes audiences, as control would write them. Nothing happens to its process. */
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
        topics: [world.topics.audienceConfig],
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
  }

  /** As somebody who reads that it failed, and does it again. */
  async #write({ config }: AudienceWrite): Promise<void> {
    this.#started ??= this.#serde.start();
    await this.#started;
    const { audienceConfig } = this.#world.topics;
    const value = this.#serde.encode(audienceConfig, config);
    this.#world.trace.add("operator", `writes ${config.key}, generation ${config.generation}`);
    for (;;) {
      try {
        await this.#producer.send([{ topic: audienceConfig.name, key: config.id, value }]);
        return;
      } catch {
        await this.#host.delay(AGAIN_AFTER_MS);
      }
    }
  }
}
