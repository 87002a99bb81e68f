// How many calls wait, by source, destination, type and the minute in which they came. Each record is read once and kept as some bytes; whether it still waits, the deliverers'
// commits say each time. It costs nothing while nobody asks (decision 131).
import { type Host, orAborted, type Timer } from "#host";
import type { Logger } from "#runtime";
import type { Serde } from "#serde";
import { KeptWaiting, type WaitingCount } from "./kept-waiting.ts";
import { lookAtStretches, type WaitingTopics } from "./stretches.ts";
import type { DestinationIds } from "./wakes.ts";

/** What waited at one moment. */
interface CountedWaiting {
  readonly counts: readonly WaitingCount[];
  /** The ends of the dead letters' partitions a little later: a call that did not wait any more, and had died, stands before them. */
  readonly deadLetterEnds: readonly number[];
}

export interface WaitingCounterOptions extends WaitingTopics {
  readonly serde: Pick<Serde, "decode" | "decodeFields">;
  deadLetterEnds(): Promise<readonly number[]>;
  readonly host: Pick<Host, "setTimeout" | "setImmediate">;
  readonly logger: Pick<Logger, "warn">;
  /** Aborted at the end. */
  readonly signal: AbortSignal;
  /** Records that are kept at most. */
  readonly maxRecords?: number;
}

/** Somebody waits for the answer. What is not read by then is read on for the next one. */
const ANSWER_MS = 4_000;
/** What is kept is let go of when nobody has asked for so long. */
const IDLE_MS = 600_000;
/** 96 MB, and up to 64 MB more while they are counted. */
const MAX_RECORDS = 4_000_000;
/** How long nothing is read after too much was found. */
const REST_MS = 60_000;

const EVERY: DestinationIds = { has: () => true };

type Counting = Promise<CountedWaiting | undefined>;

export class WaitingCounter {
  readonly #options: WaitingCounterOptions;
  #kept: KeptWaiting;
  #counting: Counting | undefined;
  /** Begins when that one has ended. */
  #following: Counting | undefined;
  #letGo: Timer | undefined;
  #rest: Timer | undefined;

  constructor(options: WaitingCounterOptions) {
    this.#options = options;
    this.#kept = this.#nothing();
    options.signal.addEventListener("abort", () => {
      this.#letGo?.clear();
      this.#rest?.clear();
    });
  }

  /** At a moment after the call. Undefined where it cannot be said: it takes longer than four seconds, too many wait, or Kafka is away. */
  async count(): Counting {
    const late = Promise.withResolvers<undefined>();
    const timer = this.#options.host.setTimeout(() => late.resolve(undefined), ANSWER_MS);
    try {
      return await Promise.race([this.#begin(), late.promise]);
    } finally {
      timer.clear();
    }
  }

  /** Whoever asks during a count gets the next one: the moment of this one may be before the question. */
  #begin(): Counting {
    if (this.#counting === undefined) {
      this.#counting = this.#run();
      return this.#counting;
    }
    this.#following ??= this.#counting.then(() => {
      this.#following = undefined;
      return this.#begin();
    });
    return this.#following;
  }

  async #run(): Counting {
    const { host, logger, signal } = this.#options;
    this.#letGo?.clear();
    try {
      if (this.#rest !== undefined || signal.aborted) return undefined;
      return await orAborted(this.#countNow(), signal);
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, "waiting calls cannot be counted now");
      return undefined;
    } finally {
      this.#counting = undefined;
      if (!signal.aborted) this.#letGo = host.setTimeout(() => this.#forget(), IDLE_MS);
    }
  }

  async #countNow(): Counting {
    const { deadLetterEnds, host } = this.#options;
    const { stretches, wakes } = await lookAtStretches(this.#options, {
      destinationIds: EVERY,
      after: undefined,
    });
    const ends = await deadLetterEnds();
    if (await this.#kept.follow(stretches))
      return { counts: await this.#kept.sum(stretches, wakes), deadLetterEnds: ends };
    this.#forget();
    this.#rest = host.setTimeout(() => {
      this.#rest = undefined;
    }, REST_MS);
    return undefined;
  }

  #nothing(): KeptWaiting {
    return new KeptWaiting({ maxRecords: MAX_RECORDS, ...this.#options });
  }

  #forget(): void {
    this.#kept = this.#nothing();
  }
}
