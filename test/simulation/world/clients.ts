import type { Random } from "#testing";
import type { VirtualTime } from "#testing/host";
import type { CallPlan } from "../plan/plan.ts";
import type { Accept } from "./ingest.ts";
import type { SimulatedProcess } from "./process.ts";

export const SOURCE_ID = "source-1";

/** As an SDK: it waits so long for an answer, and tries again after a while, so often. */
const PATIENCE_MS = 6_000;
const AGAIN_MS = { from: 300, to: 2_000 };
const MAX_TRIES = 6;
const WAY_MS = { from: 1, to: 20 };

/** A way into the product. */
export interface Entrance {
  readonly process: SimulatedProcess;
  readonly accept: Accept;
}

export interface ClientsOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  /** Those that take calls now. */
  readonly entrances: () => readonly Entrance[];
  /** A client was told that its call is stored; `isRepeated` when it had been told so before. */
  onStored(call: CallPlan, isRepeated: boolean): void;
}

/** The customers' applications. They send each call until somebody says that it is stored. */
export class Clients {
  readonly #options: ClientsOptions;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  begin(calls: readonly CallPlan[]): void {
    for (const call of calls) this.#options.time.after(call.atMs, () => this.#send(call, 1, false));
  }

  #send(call: CallPlan, tries: number, isRepeated: boolean): void {
    const { entrances, random, time } = this.#options;
    const open = entrances();
    const entrance = open[Math.floor(random.next() * open.length)];
    let isOver = false;
    const over = (isStored: boolean): void => {
      if (isOver) return;
      isOver = true;
      patience.clear();
      if (isStored) this.#stored(call, isRepeated);
      else if (tries < MAX_TRIES)
        time.after(random.between(AGAIN_MS.from, AGAIN_MS.to), () => this.#send(call, tries + 1, isRepeated));
    };
    const patience = time.after(PATIENCE_MS, () => over(false));
    if (entrance === undefined) return;
    entrance.process.host.setTimeout(
      () => {
        void entrance.accept(call, SOURCE_ID).then((answer) => over(answer === "stored"));
      },
      random.between(WAY_MS.from, WAY_MS.to),
    );
  }

  #stored(call: CallPlan, isRepeated: boolean): void {
    const { onStored, time } = this.#options;
    onStored(call, isRepeated);
    const { againAfterMs } = call;
    if (!isRepeated && againAfterMs !== undefined) time.after(againAfterMs, () => this.#send(call, 1, true));
  }
}
