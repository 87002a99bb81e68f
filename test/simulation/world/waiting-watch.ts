import type { Random } from "#testing";
import { EPOCH_MS, type VirtualHost } from "#testing/host";
import { consumerGroups } from "#topics";
import { deliveryFlow } from "../../../services/control/deliveries/flow/flow.ts";
import type { FlowParts } from "../../../services/control/deliveries/flow/parts.ts";
import { readCounts } from "../../../services/control/deliveries/flow/read.ts";
import { WaitingCounter } from "../../../services/control/deliveries/waiting/waiting-counter.ts";
import type { Desk } from "./fleet.ts";
import type { World } from "./world.ts";

const NAME = "watcher";
const ASKED_EVERY_MS = { from: 50, to: 3_000 };
const HOUR_MS = 3_600_000;
const LOOK_EVERY_MS = 25;

type Counted = Awaited<ReturnType<WaitingCounter["count"]>>;

/**
 * Somebody who asks now and then what waits, and where there are control processes what statistics say. The product counts, over a way to the
 * cluster that no fault disturbs and that disturbs nobody: a world goes on as if nobody had asked, so that it can be done in each.
 */
export class WaitingWatch {
  readonly #world: World;
  readonly #desks: () => readonly Desk[];
  readonly #random: Random;
  readonly #host: VirtualHost;
  readonly #counter: WaitingCounter;

  constructor(world: World, desks: () => readonly Desk[]) {
    this.#world = world;
    this.#desks = desks;
    this.#random = world.random.split(NAME);
    this.#host = world.host(NAME);
    this.#counter = newCounter(world, this.#host);
  }

  begin(): void {
    if (this.#world.plan.processes.some(({ service }) => service === "deliverer")) this.#next();
  }

  #next(): void {
    this.#host.setTimeout(
      () => void this.#ask().then(() => this.#next()),
      this.#random.between(ASKED_EVERY_MS.from, ASKED_EVERY_MS.to),
    );
  }

  async #ask(): Promise<void> {
    const desks = this.#desks();
    const desk = desks[Math.floor(this.#random.next() * desks.length)];
    if (desk === undefined || !this.#world.plan.recordsCalls) await this.#count();
    else await this.#readStatistics(desk);
  }

  async #count(): Promise<Counted> {
    const { history, time, trace } = this.#world;
    const askedAtPlace = history.happenings.length;
    const counted = await this.#counter.count();
    if (counted === undefined) return undefined;
    const { counts } = counted;
    trace.add(NAME, `is told that ${counts.reduce((sum, { calls }) => sum + calls, 0)} calls wait`);
    history.add({ kind: "waiting_told", atMs: time.nowMs, askedAtPlace, counts });
    return counted;
  }

  /** As the API does it, with this counter: what the process's own reads would change what happens to it. */
  async #readStatistics({ control, process }: Desk): Promise<void> {
    const { history, time } = this.#world;
    const { index } = control.deliveries;
    const parts = {
      deliveries: { index, progress: this.#progressOf(control) },
      waitingCounter: { count: () => this.#count() },
      host: this.#host,
      nowMs: control.nowMs,
    };
    const range = { fromMs: EPOCH_MS - HOUR_MS, toMs: EPOCH_MS + HOUR_MS, stepMs: HOUR_MS };
    const { sums, waiting: counted } = await readCounts(parts, range);
    // Its disk may be lost meanwhile, and with it what was read.
    if (!process.isRunning || counted === undefined) return;
    const { delivered, waiting } = deliveryFlow([...sums, ...counted], true);
    if (waiting === null || delivered === null) return;
    history.add({ kind: "settled_told", atMs: time.nowMs, process: process.name, waiting, delivered });
  }

  #progressOf({ deliveries: { progress } }: Desk["control"]): FlowParts["deliveries"]["progress"] {
    const host = this.#host;
    return {
      indexedUntilMs: (kind) => progress.indexedUntilMs(kind),
      offsets: (kind) => progress.offsets(kind),
      async untilCovers(kind, ends, timeoutMs) {
        const lateAtMs = host.elapsed() + timeoutMs;
        while (progress.offsets(kind).some((offset, partition) => offset < (ends[partition] ?? 0))) {
          if (host.elapsed() >= lateAtMs) return false;
          await host.delay(LOOK_EVERY_MS);
        }
        return true;
      },
    };
  }
}

function newCounter(world: World, host: VirtualHost): WaitingCounter {
  const { topics } = world;
  const { kafka, logger } = world.watcherKafka(NAME, host);
  const admin = kafka.admin();
  return new WaitingCounter({
    ...{ admin, host, kafka, logger, topics },
    serde: world.readerSerde(),
    groupId: consumerGroups("").deliverer.id,
    deadLetterEnds: async () => {
      const offsets = await admin.offsets(topics.deadLetters.name);
      return offsets.sort((one, other) => one.partition - other.partition).map(({ high }) => high);
    },
    signal: new AbortController().signal,
  });
}
