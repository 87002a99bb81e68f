import type { Stack } from "#stack";

/** As many as the conservation test has deliverers. */
export const DETOURS = 3;

type Action = "stop" | "kill" | "start";

/** A stack whose brokers come and go, for one suite after the other: starting one for each takes longer than most of them. */
export class OutageStack {
  readonly #startStack: (brokers: 1 | 3) => Promise<Stack>;
  #stack: Stack | undefined;
  #brokers = 0;
  readonly #away = new Set<number>();
  /** What is done to brokers is done one after the other: a suite that gave up may have left something under way. */
  #busy: Promise<unknown> = Promise.resolve();

  constructor(startStack: (brokers: 1 | 3) => Promise<Stack>) {
    this.#startStack = startStack;
  }

  /** The stack with so many brokers; the same one as before where that has as many. */
  async start(brokers: 1 | 3): Promise<Stack> {
    if (this.#brokers !== brokers) await this.stop();
    this.#stack ??= await this.#startStack(brokers);
    this.#brokers = brokers;
    return this.#stack;
  }

  control(index: number, action: Action): Promise<void> {
    const doIt = async (): Promise<void> => {
      if (this.#stack === undefined) throw new Error("there is no stack whose brokers come and go");
      if (action !== "start") this.#away.add(index);
      await this.#stack.broker(index)[action]();
      if (action === "start") this.#away.delete(index);
    };
    const done = this.#busy.then(doIt);
    this.#busy = done.catch(() => undefined);
    return done;
  }

  /** Starts the brokers that a suite left away; where one does not come back the next suite gets a new stack. */
  async mend(): Promise<void> {
    await this.#busy;
    try {
      for (const index of [...this.#away]) await this.control(index, "start");
    } catch {
      await this.stop();
    }
  }

  async stop(): Promise<void> {
    await this.#busy;
    const stack = this.#stack;
    this.#stack = undefined;
    this.#brokers = 0;
    this.#away.clear();
    await stack?.stop();
  }
}
