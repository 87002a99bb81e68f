import { createKafkaOn, type Kafka, type KafkaLogger, type TopicSpec } from "#kafka";
import { inRealEvent } from "../host/real-event.ts";
import { VirtualHost } from "../host/virtual-host.ts";
import { VirtualTime } from "../host/virtual-time.ts";
import { Random } from "../random.ts";
import { SimulatedCluster, type SimulatedClusterOptions } from "./index.ts";

const DAY_MS = 86_400_000;

export interface BenchProcess {
  readonly kafka: Kafka;
  readonly host: VirtualHost;
  /** kill -9. */
  kill(): void;
}

/** The product's own client code on a simulated cluster, with a clock that the test moves. */
export class Bench {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly cluster: SimulatedCluster;
  readonly lines: {
    readonly process: string;
    readonly level: string;
    readonly message: string;
    readonly facts: object;
  }[] = [];

  constructor(seed = 1, options: Partial<SimulatedClusterOptions> = {}) {
    this.random = new Random(seed);
    const random = this.random.split("cluster");
    this.cluster = new SimulatedCluster({
      host: new VirtualHost({ time: this.time, random }),
      random: () => random.next(),
      ...options,
    });
  }

  topics(
    names: readonly string[],
    partitions = 4,
    cleanup: TopicSpec["cleanup"] = { policy: "delete", retentionMs: DAY_MS },
  ): void {
    this.cluster.createTopics(
      names.map((name) => ({ name, cleanup })),
      partitions,
    );
  }

  host(name: string): VirtualHost {
    return new VirtualHost({ time: this.time, random: this.random.split(name) });
  }

  process(name: string): BenchProcess {
    const host = this.host(name);
    const kafka = createKafkaOn(this.cluster.clusterFor(name, host), {
      logger: this.#logger(name),
      host,
      clientId: name,
    });
    const kill = (): void => {
      host.kill();
      this.cluster.kill(name);
    };
    return { kafka, host, kill };
  }

  /** Lets so much time pass. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.time.nowMs + ms;
    await inRealEvent(() => this.time.runUntil(untilMs));
  }

  /** Lets time pass until the promise is settled; fails when it is not within `ms`. */
  async settled<R>(promise: Promise<R>, ms = 60_000): Promise<R> {
    let isSettled = false;
    promise.then(
      () => {
        isSettled = true;
      },
      () => {
        isSettled = true;
      },
    );
    const untilMs = this.time.nowMs + ms;
    while (!isSettled && this.time.nowMs < untilMs) await this.pass(10);
    if (!isSettled) throw new Error(`not settled after ${ms} ms`);
    return promise;
  }

  #logger(process: string): KafkaLogger {
    const at = (level: string) => (facts: object, message: string) =>
      void this.lines.push({ process, level, message, facts });
    return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  }
}
