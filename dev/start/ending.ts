// The end of `npm start`, from any cause and any number of times: everything in order, once, and nothing
// left.
import { constants } from "node:os";
import { endChildren, withDeadline } from "#stack";

type Work = () => Promise<void> | void;

/** A start that is interrupted cleans up after itself, once its processes are gone. */
const CLEAN_UP_MS = 10_000;

export interface Ending {
  readonly isBegun: boolean;
  /** A part runs; the last is ended first. */
  onStarted(stop: Work): void;
  /** Removes the rest of a run that ended in order. After a failure somebody may look into it. */
  onStopped(remove: Work): void;
  /** Ends every part, then the process. The first call counts. */
  end(exitCode: number): Promise<void>;
  /** Instead, for who does not want to wait for it: kills every part, and ends the process. What they have in hand is done again later. */
  force(exitCode: number): Promise<void>;
}

export interface EndingOptions {
  readonly say: (line: string) => void;
  readonly exit: (exitCode: number) => void;
}

export class OrderlyEnding implements Ending {
  readonly #options: EndingOptions;
  readonly #stops: Work[] = [];
  readonly #removals: Work[] = [];
  #starting: Promise<unknown> = Promise.resolve();
  #isBegun = false;
  #hasFailed = false;

  constructor(options: EndingOptions) {
    this.#options = options;
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  onStarted(stop: Work): void {
    this.#stops.push(stop);
  }

  onStopped(remove: Work): void {
    this.#removals.push(remove);
  }

  /** Makes the end wait for `starting`, which registers the parts; returns `starting`. */
  interrupts<T>(starting: Promise<T>): Promise<T> {
    this.#starting = starting.catch(() => undefined);
    return starting;
  }

  async end(exitCode: number): Promise<void> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    await this.#runAll(this.#stops);
    await endChildren();
    await this.#startIsOver();
    await this.#runAll(this.#stops);
    if (exitCode === 0) await this.#runAll(this.#removals);
    if (exitCode === 0 && !this.#hasFailed) this.#options.say("Stopped.");
    this.#options.exit(exitCode === 0 && this.#hasFailed ? 1 : exitCode);
  }

  async force(exitCode: number): Promise<void> {
    this.#isBegun = true;
    await endChildren();
    this.#options.exit(exitCode);
  }

  async #startIsOver(): Promise<void> {
    const late = Promise.withResolvers<void>();
    await withDeadline(Promise.race([this.#starting, late.promise]), CLEAN_UP_MS, () => late.resolve());
  }

  async #runAll(works: Work[]): Promise<void> {
    for (let work = works.pop(); work !== undefined; work = works.pop()) {
      try {
        await work();
      } catch (error) {
        this.#hasFailed = true;
        this.#options.say(`WARN a part did not end well: ${String(error)}`);
      }
    }
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** npm, shells and terminals send a signal on to each other: one that comes sooner may be the first again. */
export const FORCED_AFTER_MS = 2_000;

interface EndOnSignalsOptions {
  readonly say: (line: string) => void;
  /** The time since some moment, in ms. */
  readonly elapsed: () => number;
  readonly forcedAfterMs: number;
}

/**
 * A signal asks for the orderly end, and so does the end of the process that started this one, whose channel breaks (bin/install.mjs). A
 * signal that comes `forcedAfterMs` later ends everything at once.
 */
export function endOnSignals(ending: Ending, { elapsed, forcedAfterMs, say }: EndOnSignalsOptions): void {
  let askedAtMs: number | undefined;
  const begin = (): void => {
    askedAtMs ??= elapsed();
    if (ending.isBegun) return;
    say("\nStopping ...");
    void ending.end(0);
  };
  for (const signal of SIGNALS)
    process.on(signal, () => {
      const isForced = askedAtMs !== undefined && elapsed() - askedAtMs >= forcedAfterMs;
      if (isForced) void ending.force(128 + constants.signals[signal]);
      else begin();
    });
  process.on("disconnect", begin);
  // A terminal that was closed takes no more lines; the end goes on without them.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}
