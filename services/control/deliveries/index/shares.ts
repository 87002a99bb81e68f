// The shares of an index as one with its main file: what one of them throws away is thrown away whole. Roll-ups count for times that no file of the index counts itself (eras.ts), so all
// are of one index, which is known by when it was made. The main file is made first: whatever ends the process in between, a share that is not of it shows at the next start.
import type { IndexPart } from "./index-part.ts";
import type { Share } from "./share.ts";

export interface SharesOptions {
  readonly main: IndexPart;
  /** The main file has just been made: nothing is lost when the shares begin. */
  readonly isNew: boolean;
  readonly shares: readonly Share[];
  /** A share cannot begin: the process cannot go on. */
  onFailed(error: unknown): void;
}

export class Shares {
  readonly #options: SharesOptions;
  /** Settles when all are of the main file; undefined until they were looked at. */
  #begun: Promise<unknown> | undefined;
  readonly #looked: Promise<void>;

  constructor(options: SharesOptions) {
    this.#options = options;
    this.#looked = this.#look();
    this.#looked.catch((error: unknown) => options.onFailed(error));
  }

  /** The shares, which answer when all are of the main file. */
  get asked(): readonly Share[] {
    return this.#options.shares.map(
      (share): Share => ({
        ask: async (name, ...asked) => {
          await this.#looked;
          await this.#begun;
          return share.ask(name, ...asked);
        },
      }),
    );
  }

  /** A main file was made in place of another one. */
  began(createdMs: number): void {
    this.#begun = Promise.all(this.#options.shares.map((share) => share.ask("begin", createdMs)));
    this.#begun.catch((error: unknown) => this.#options.onFailed(error));
  }

  /** One of the shares has thrown its records away. */
  discarded(why: string): void {
    // What it throws away before is seen when they are looked at.
    if (this.#begun !== undefined) this.#options.main.discard(why);
  }

  async #look(): Promise<void> {
    const { isNew, main, shares } = this.#options;
    const lives = await Promise.all(shares.map((share) => share.ask("createdMs")));
    if (this.#begun !== undefined) return;
    if (isNew || lives.every((createdMs) => createdMs === main.createdMs)) this.began(main.createdMs);
    else main.discard("recorded calls of one of its threads are missing");
  }
}
