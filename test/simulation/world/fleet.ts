import { type OpenStore, storesOn } from "#state";
import { createAudienceProcessor } from "../../../services/audience-processor/service.ts";
import type { ApiParts } from "../../../services/control/api.ts";
import { createControl } from "../../../services/control/service.ts";
import { createDeliverer } from "../../../services/deliverer/service.ts";
import { createWebhookRouter } from "../../../services/webhook-router/service.ts";
import type { ProcessPlan } from "../plan/plan.ts";
import type { Entrance } from "./clients.ts";
import { createIngest } from "./ingest.ts";
import { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

/** A supervisor starts a process that has ended by itself again after so long. */
const SUPERVISED_AFTER_MS = 1_000;

/** A control process whose API answers. */
export interface Desk {
  readonly process: SimulatedProcess;
  readonly control: ApiParts;
}

interface Place {
  readonly plan: ProcessPlan;
  process: SimulatedProcess | undefined;
  /** Of its earlier runs too. */
  runs: number;
  /** Somebody has stopped or killed it, and will start it again. */
  isDown: boolean;
}

/** The processes of a run, whoever of them lives. */
export class Fleet {
  readonly #world: World;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #entrances = new Map<SimulatedProcess, Entrance>();
  readonly #desks = new Map<SimulatedProcess, Desk>();

  constructor(world: World) {
    this.#world = world;
    this.#places = new Map(
      world.plan.processes.map(
        (plan) => [plan.name, { plan, process: undefined, runs: 0, isDown: true }] as const,
      ),
    );
  }

  begin(): void {
    for (const { plan } of this.#places.values())
      this.#world.time.after(plan.startMs, () => this.start(plan.name));
    this.#supervise();
  }

  get running(): readonly SimulatedProcess[] {
    return [...this.#places.values()].flatMap(({ process }) => (process?.isRunning === true ? process : []));
  }

  /** Those whose counters tell of all that they have done. */
  get startedOnce(): readonly SimulatedProcess[] {
    const places = [...this.#places.values()].filter(({ runs }) => runs === 1);
    return places.flatMap(({ process }) => (process?.isRunning === true ? process : []));
  }

  /** Processes that take calls. */
  get entrances(): readonly Entrance[] {
    return [...this.#entrances.values()].filter(({ process }) => process.isReady);
  }

  get desks(): readonly Desk[] {
    return [...this.#desks.values()].filter(({ process }) => process.isReady);
  }

  get(name: string): SimulatedProcess | undefined {
    return this.#places.get(name)?.process;
  }

  start(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined || place.process?.isRunning === true) return;
    place.isDown = false;
    place.runs += 1;
    this.#world.trace.add(name, `starts for the ${place.runs}. time`);
    this.#world.disturb(name, "start");
    place.process = this.#start(place);
  }

  /** kill -9, in front of the so-manieth thing that would happen to it. */
  kill(name: string, afterEvents: number, onKilled: () => void = () => undefined): void {
    const place = this.#places.get(name);
    if (place?.process?.isRunning !== true) return;
    place.isDown = true;
    place.process.host.killAfter(afterEvents, () => {
      this.#world.trace.add(name, "is killed");
      this.#world.disturb(name, "kill");
      this.#world.cluster.kill(name);
      onKilled();
    });
  }

  /** After `kill` or `stop`, whatever has become of it: a process that takes longer to end is waited for. */
  startAgain(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined || !place.isDown) return;
    if (place.process?.isRunning === true)
      this.#world.time.after(SUPERVISED_AFTER_MS, () => this.startAgain(name));
    else this.start(name);
  }

  stop(name: string): void {
    const place = this.#places.get(name);
    if (place?.process?.isRunning !== true) return;
    place.isDown = true;
    this.#world.trace.add(name, "is stopped");
    this.#world.disturb(name, "stop");
    place.process.stop();
  }

  #supervise(): void {
    this.#world.time.after(SUPERVISED_AFTER_MS, () => {
      for (const { isDown, plan, process } of this.#places.values()) {
        if (process?.status !== undefined && !isDown) this.start(plan.name);
      }
      this.#supervise();
    });
  }

  #start({ plan: { name, service, skewMs }, runs }: Place): SimulatedProcess {
    const world = this.#world;
    const host = world.host(`${name} ${runs}`, skewMs);
    const options = { name, host, logs: world.logs, environment: environmentOf(world) };
    const ways = world.ways(name, host);
    switch (service) {
      case "ingest": {
        const isDropping = world.plan.members?.isIngestDropping === true;
        const definition = createIngest({ ...ways, isDropping }, (accept) =>
          this.#entrances.set(started, { process: started, accept }),
        );
        const started = SimulatedProcess.start(definition, options);
        return started;
      }
      case "webhook-router":
        return SimulatedProcess.start(
          createWebhookRouter({ ...ways, windowDisk: world.disk(name).windows(host) }),
          options,
        );
      case "deliverer":
        return SimulatedProcess.start(
          createDeliverer({ ...ways, createEgress: () => world.endpoints.egress(name, host) }),
          options,
        );
      case "audience-processor":
        return SimulatedProcess.start(
          createAudienceProcessor({ ...ways, openStore: storesOn(world.disk(name).stores(host)) }),
          options,
        );
      case "control": {
        const definition = createControl({
          ...ways,
          createEgress: () => world.endpoints.egress(name, host),
          randomBytes: (sizeBytes) =>
            Buffer.from(host.uuid().replaceAll("-", ""), "hex").subarray(0, sizeBytes),
          indexDisk: world.indexDisk(name),
          openStore: world.plan.members === undefined ? neverOpen : storesOn(world.disk(name).stores(host)),
          // No topic is deleted there, and nobody reads metrics.
          watch: () => undefined,
          openApi: async (_, control) => {
            this.#desks.set(started, { process: started, control });
            return {};
          },
        });
        const started = SimulatedProcess.start(definition, options);
        return started;
      }
    }
  }
}

/** Of worlds without audiences: the profiles stay unread. */
const neverOpen: OpenStore = ({ signal }) =>
  new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

function environmentOf({ plan }: World): Record<string, string> {
  const { anonymousRetentionMs, members, recordsCalls, timing } = plan;
  return {
    ...(anonymousRetentionMs !== undefined && { HOOKLINE_ANONYMOUS_RETENTION: `${anonymousRetentionMs}ms` }),
    ...(members !== undefined && {
      HOOKLINE_CONNECTION_SYNC_RATE: `${members.syncCallsPerSecond}`,
      HOOKLINE_DELETED_AUDIENCE_RETENTION: `${members.deletedKeptMs}ms`,
    }),
    ...(members?.importChangesPerSecond !== undefined && {
      HOOKLINE_IMPORT_RATE: `${members.importChangesPerSecond}`,
    }),
    HOOKLINE_KAFKA_BROKERS: "simulated:9092",
    HOOKLINE_SCHEMA_REGISTRY_URL: "http://simulated",
    HOOKLINE_ENCRYPTION_KEYS: `simulated:${Buffer.alloc(32).toString("base64")}`,
    HOOKLINE_RETRY_DELAYS: timing.retryDelaysMs.map((delayMs) => `${delayMs}ms`).join(","),
    HOOKLINE_RETRY_WINDOW: `${timing.retryWindowMs}ms`,
    HOOKLINE_DEDUPE_WINDOW: `${timing.dedupeWindowMs}ms`,
    HOOKLINE_RECORDED_CALLS: recordsCalls ? "all" : "none",
  };
}
