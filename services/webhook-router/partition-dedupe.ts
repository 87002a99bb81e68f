import type { Received } from "#kafka";
import type { DedupeWindow, Noted } from "#state";
import type { Call } from "#topics";
import {
  type CatchUpOptions,
  catchUp,
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

/** What waits until the window has come to an offset. */
interface Waiting {
  readonly offset: number;
  use(window: DedupeWindow): void;
  fail(error: unknown): void;
}

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

  constructor(options: PartitionDedupeOptions) {
    this.#options = options;
    this.#working = options.after ?? Promise.resolve();
  }

  /** Calls read and to be read of a rebuild under way. */
  get progress(): Progress | undefined {
    return this.#progress;
  }

  /**
   * Says what the record is: at once when the window is there, otherwise later, in order. Only then an error of `use` goes to
   * `fail`.
   */
  note(
    { offset, decoded }: Received<Call>,
    use: (noted: Noted) => void,
    fail: (error: unknown) => void,
  ): void {
    this.#when({ offset, use: (window) => use(noteIn(window, offset, decoded)), fail });
  }

  /** Says that a record has no id, because it could not be decoded. */
  skip(offset: number): void {
    this.#when({ offset, use: (window) => window.advanceTo(offset + 1), fail: () => undefined });
  }

  /** Brings the window to where the group goes on. Resolves also when the partition is revoked meanwhile. */
  async open(): Promise<void> {
    try {
      const committed = await this.#options.log.committed(this.#options.partition);
      await this.#inTurn(() => this.#bringTo(committed ?? 0));
    } catch (error) {
      if (!this.#isRevoked) throw error;
    }
  }

  /** The partition is somebody else's: waiting calls are theirs to read again. */
  async close(): Promise<void> {
    this.#revocation.abort();
    this.#waiting.length = 0;
    await this.#working.catch(() => undefined);
    await this.#window?.close();
    this.#window = undefined;
  }

  #when(waiting: Waiting): void {
    const window = this.#window;
    if (window !== undefined && this.#waiting.length === 0 && isReady(window, waiting.offset)) {
      waiting.use(window);
      return;
    }
    this.#waiting.push(waiting);
    if (this.#waiting.length === 1) void this.#drain();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#working = this.#working.catch(() => undefined).then(work);
    return this.#working;
  }

  async #drain(): Promise<void> {
    for (let head = this.#waiting[0]; head !== undefined; head = this.#waiting[0]) {
      const { offset } = head;
      try {
        await this.#inTurn(() => this.#makeReady(offset));
        this.#useReady();
      } catch (error) {
        if (this.#isRevoked) return;
        const { partition, logger, host } = this.#options;
        logger.warn({ partition, offset, err: error }, "duplicate window cannot be brought up to date yet");
        await host.delay(RETRY_MS);
      }
    }
  }

  async #makeReady(offset: number): Promise<void> {
    await this.#bringTo(offset);
    if (this.#window !== undefined && !isReady(this.#window, offset)) await this.#window.flush();
  }

  #useReady(): void {
    const window = this.#window;
    for (let head = this.#waiting[0]; head !== undefined && window !== undefined; head = this.#waiting[0]) {
      if (!isReady(window, head.offset)) return;
      this.#waiting.shift();
      try {
        head.use(window);
      } catch (error) {
        head.fail(error);
      }
    }
  }

  /** Opens the window when it is not open, and notes everything below `offset` that it has not noted. */
  async #bringTo(offset: number): Promise<void> {
    this.#stopIfRevoked();
    this.#window ??= await openLogWindow(this.#options);
    await catchUp(this.#options, {
      window: this.#window,
      toOffset: offset,
      signal: this.#revocation.signal,
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

function isReady(window: DedupeWindow, offset: number): boolean {
  return window.reached >= offset && window.unwritten < MAX_UNWRITTEN;
}
