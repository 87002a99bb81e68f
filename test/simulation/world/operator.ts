import { connect } from "#connection";
import type { Producer } from "#kafka";
import type { Serde } from "#serde";
import { EPOCH_MS, type VirtualHost } from "#testing/host";
import { DESTINATION_DEFAULTS, type DestinationConfig } from "#topics";
import { createSource } from "../../../services/control/resources/sources/source.ts";
import type { Change, DestinationPlan } from "../plan/plan.ts";
import { SOURCE_ID } from "./clients.ts";
import type { World } from "./world.ts";

const AGAIN_AFTER_MS = 500;

/** Who configures destinations. Nothing happens to its process: what control does with a request is not what is looked at here. */
export class Operator {
  readonly #world: World;
  readonly #host: VirtualHost;
  readonly #serde: Serde;
  readonly #producer: Producer;
  readonly #versions = new Map<string, number>();

  constructor(world: World) {
    const host = world.host("operator");
    const { destinationConfig, sourceConfig } = world.topics;
    this.#world = world;
    this.#host = host;
    const { kafka, serde } = connect(
      {
        kafka: { brokers: [], clientId: "operator", tls: false },
        registryUrl: "http://simulated",
        topics: world.plan.members === undefined ? [destinationConfig] : [destinationConfig, sourceConfig],
      },
      world.ways("operator", host),
    );
    this.#serde = serde;
    this.#producer = kafka.durableProducer();
  }

  begin(): void {
    const { changes, destinations } = this.#world.plan;
    void this.#writeAll(destinations.filter(({ madeAtMs }) => madeAtMs === undefined));
    for (const destination of destinations) {
      const { madeAtMs } = destination;
      if (madeAtMs !== undefined) this.#world.time.after(madeAtMs, () => void this.#make(destination));
    }
    for (const change of changes) this.#world.time.after(change.atMs, () => void this.#change(change));
  }

  async #writeAll(destinations: readonly DestinationPlan[]): Promise<void> {
    await this.#serde.start();
    if (this.#world.plan.members?.regulations.length) await this.#writeSource();
    for (const destination of destinations) await this.#make(destination);
  }

  /** That of the clients: who is suppressed in it names a source that there is. */
  async #writeSource(): Promise<void> {
    const { sourceConfig } = this.#world.topics;
    const source = createSource({ id: SOURCE_ID, name: SOURCE_ID, writeKey: SOURCE_ID }, EPOCH_MS);
    await this.#send(sourceConfig.name, SOURCE_ID, this.#serde.encode(sourceConfig, source));
  }

  #make(destination: DestinationPlan): Promise<void> {
    return this.#write(destination, destination.isMadeOff !== true);
  }

  async #change({ destinationId, to }: Change): Promise<void> {
    const destination = this.#world.plan.destinations.find(({ id }) => id === destinationId);
    if (destination === undefined) return;
    this.#world.trace.add("operator", `${destinationId} is ${to}`);
    if (to === "deleted") await this.#delete(destinationId);
    else if (to === "other_webhooks")
      await this.#write({ ...destination, urls: destination.urls.slice(0, 1) }, true);
    else await this.#write(destination, to === "enabled");
  }

  async #delete(id: string): Promise<void> {
    this.#configured({ id, config: undefined });
    await this.#send(this.#world.topics.destinationConfig.name, id, null);
  }

  async #write(destination: DestinationPlan, enabled: boolean): Promise<void> {
    const { id } = destination;
    const version = (this.#versions.get(id) ?? 0) + 1;
    this.#versions.set(id, version);
    this.#configured({ id, config: { ...destination, enabled } });
    const topic = this.#world.topics.destinationConfig;
    const value = this.#serde.encode(topic, configOf(destination, { enabled, version }));
    await this.#send(topic.name, id, value);
  }

  /** As somebody who reads that it failed, and does it again. */
  async #send(topic: string, key: string, value: Buffer | null): Promise<void> {
    for (;;) {
      try {
        await this.#producer.send([{ topic, key, value }]);
        return;
      } catch {
        await this.#host.delay(AGAIN_AFTER_MS);
      }
    }
  }

  #configured(destination: {
    id: string;
    config: (DestinationPlan & { enabled: boolean }) | undefined;
  }): void {
    const { history, time } = this.#world;
    history.add({ kind: "configured", atMs: time.nowMs, destination });
  }
}

function configOf(
  { callTypes, filter, id, retryDelaysMs, retryWindowMs, sourceIds, urls, ...limits }: DestinationPlan,
  { enabled, version }: { enabled: boolean; version: number },
): DestinationConfig {
  return {
    ...DESTINATION_DEFAULTS,
    id,
    name: id,
    enabled,
    sourceIds: [...(sourceIds ?? [SOURCE_ID])],
    callTypes: callTypes === null ? null : [...callTypes],
    maxRequestsPerSecond: limits.maxRequestsPerSecond,
    maxInFlight: limits.maxInFlight,
    filter: filter === undefined ? null : JSON.stringify(filter.conditions),
    retryDelaysMs: retryDelaysMs === undefined ? null : [...retryDelaysMs],
    retryWindowMs: retryWindowMs ?? null,
    webhooks: urls.map((url) => ({ url, headers: [] })),
    version,
    createdAtMs: EPOCH_MS,
    updatedAtMs: EPOCH_MS,
  };
}
