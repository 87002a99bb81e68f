import type { Received } from "#kafka";
import type { DedupeWindow, Noted } from "#state";
import type { Call } from "#topics";
import {
  type CatchUpOptions,
  catchUp,
  clarify,
  MAX_UNWRITTEN,
  noteIn,
  openLogWindow,
  type Progress,
} from "./catch-up.ts";

const RETRY_MS = 1000;

export interface PartitionDedupeOptions extends CatchUpOptions {
  /** An earlier owner of the same files in this process that is still closing them. */
  readonly after?: Promise<void> | undefined;
}

/**
 * The fate of a record that is to be judged. Exactly one of the three is called, once; `fail` only after
 * `use` threw.
 */
export interface Judging {
  use(noted: Noted): void;
  /** `use` threw when the record had waited; at once it throws to the caller. */
  fail(error: unknown): void;
  /** The partition was lost before: its owner reads the record again. */
  giveBack(): void;
}

/** A record, or other work, that waits until the window has come to an offset. */
interface Waiting {
  readonly offset: number;
  /** Undefined for a record that has no id. */
  readonly call: Call | undefined;
  use(window: DedupeWindow): void;
  fail(error: unknown): void;
  giveBack(): void;
}

const NOTHING = (): void => undefined;

/** Thrown to end work on a partition that is somebody else's now. */
class RevokedError extends Error {
  override readonly name = "RevokedError";
}

/**
 * The duplicate window of one assigned partition. Its one rule: a call is judged only when the window holds everything
 * below the call's offset. What is missing (all of it for a new owner with an empty disk; the last half second after a crash;
 * what another owner routed while the partition was away) is read again from the partition itself, first.
 */
export class PartitionDedupe {
  readonly #options: PartitionDedupeOptions;
  readonly #waiting: Waiting[] = [];
  #window: DedupeWindow | undefined;
  readonly #revocation = new AbortController();
  /** Work on the window is done one after the other. */
  #working: Promise<void>;
  #progress: Progress | undefined;
  #isDraining = false;

  constructor(options: PartitionDedupeOptions) {
    this.#options = options;
    this.#working = options.after ?? Promise.resolve();
  }

  /** Calls read and to be read of a rebuild under way. */
  get progress(): Progress | undefined {
    return this.#progress;
  }

  /** Says what the record is: at once when the window is there, otherwise later, in order. */
  note({ offset, decoded }: Received<Call>, judging: Judging): void {
    this.#when({
      offset,
      call: decoded,
      use: (window) => judging.use(noteIn(window, offset, decoded)),
      fail: (error) => judging.fail(error),
      giveBack: () => judging.giveBack(),
    });
  }

  /** Says that a record has no id, because it could not be decoded. */
  skip(offset: number): void {
    this.#when({
      offset,
      call: undefined,
      use: (window) => window.advanceTo(offset + 1),
      fail: NOTHING,
      giveBack: NOTHING,
    });
  }

  /** Brings the window to where the group goes on. Resolves as soon as the partition is revoked. */
  async open(): Promise<void> {
    const { promise: revoked, resolve } = Promise.withResolvers<void>();
    const { signal } = this.#revocation;
    if (signal.aborted) return;
    signal.addEventListener("abort", () => resolve(), { once: true });
    await Promise.race([this.#open(), revoked]);
  }

  /** The partition is somebody else's: waiting calls are theirs to read again. */
  async close(): Promise<void> {
    this.#revocation.abort();
    for (const waiting of this.#waiting.splice(0)) waiting.giveBack();
    await this.#working.catch(() => undefined);
    await this.#window?.close();
    this.#window = undefined;
  }

  async #open(): Promise<void> {
    try {
      const committed = await this.#options.log.committed(this.#options.partition);
      await this.#inTurn(() => this.#bringTo(committed ?? 0));
    } catch (error) {
      if (!this.#isRevoked) throw error;
    }
  }

  #when(waiting: Waiting): void {
    if (this.#isRevoked) {
      waiting.giveBack();
      return;
    }
    const window = this.#window;
    if (window !== undefined && this.#waiting.length === 0 && isReady(window, waiting)) {
      waiting.use(window);
      return;
    }
    this.#waiting.push(waiting);
    if (!this.#isDraining) void this.#drain();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#working = this.#working.catch(() => undefined).then(work);
    return this.#working;
  }

  /** Never rejects. Ends when nothing waits any more: `close` gives back what does. */
  async #drain(): Promise<void> {
    this.#isDraining = true;
    for (let head = this.#waiting[0]; head !== undefined; head = this.#waiting[0]) {
      const { offset } = head;
      try {
        await this.#inTurn(() => this.#makeReady(head));
        this.#useReady();
      } catch (error) {
        await this.#pauseAfter(error, offset);
      }
    }
    this.#isDraining = false;
  }

  async #pauseAfter(error: unknown, offset: number): Promise<void> {
    if (this.#isRevoked) return;
    const { partition, logger, host } = this.#options;
    logger.warn({ partition, offset, err: error }, "duplicate window cannot be brought up to date yet");
    await host.delay(RETRY_MS, this.#revocation.signal).catch(NOTHING);
  }

  async #makeReady({ call, offset }: Waiting): Promise<void> {
    await this.#bringTo(offset);
    const window = this.#window;
    if (window === undefined) return;
    if (call !== undefined && window.contradicts(call, offset)) {
      window.goBackTo(offset);
      await window.flush();
    }
    const fromOffset = call && window.unclearFor(call, offset);
    if (fromOffset !== undefined)
      await clarify(this.#options, { window, fromOffset, signal: this.#revocation.signal });
    if (!hasRoom(window)) await window.flush();
  }

  #useReady(): void {
    const window = this.#window;
    for (let head = this.#waiting[0]; head !== undefined && window !== undefined; head = this.#waiting[0]) {
      if (!isReady(window, head)) return;
      this.#waiting.shift();
      try {
        head.use(window);
      } catch (error) {
        this.#fail(head, error);
      }
    }
  }

  /**
   * Ends a call that failed. A call that cannot even fail is stepped again; the reader ends it as it ends a
   * step that throws.
   */
  #fail(waiting: Waiting, error: unknown): void {
    try {
      waiting.fail(error);
    } catch (thrown) {
      const { partition, logger } = this.#options;
      logger.error({ partition, offset: waiting.offset, err: thrown }, "a call that waited could not fail");
      waiting.giveBack();
    }
  }

  /** Opens the window when it is not open, and notes everything below `offset` that it has not noted. */
  async #bringTo(offset: number): Promise<void> {
    this.#stopIfRevoked();
    const { signal } = this.#revocation;
    const opening = { toOffset: offset, signal };
    this.#window ??= await openLogWindow(this.#options, opening);
    await catchUp(this.#options, {
      ...opening,
      window: this.#window,
      onProgress: (progress) => {
        this.#progress = progress;
        this.#stopIfRevoked();
      },
    });
  }

  get #isRevoked(): boolean {
    return this.#revocation.signal.aborted;
  }

  #stopIfRevoked(): void {
    if (this.#isRevoked) throw new RevokedError("the partition was revoked");
  }
}

function isReady(window: DedupeWindow, { call, offset }: Waiting): boolean {
  if (window.reached < offset || !hasRoom(window)) return false;
  if (call === undefined) return true;
  return !window.contradicts(call, offset) && window.unclearFor(call, offset) === undefined;
}

function hasRoom({ unwritten }: DedupeWindow): boolean {
  return unwritten < MAX_UNWRITTEN;
}
