import type { Ownership } from "../runner-types.ts";
import type { Hold } from "../types.ts";

/** Whether a member may do something with a partition that it has now. */
export interface TermRights {
  /** The member can be sure that the partition is still its own, and is not about to give it up: it may begin work. */
  mayBegin(): boolean;
  /** The first half of that: what becomes of work may be written. */
  isSure(): boolean;
}

/** A member's hold on a partition, from when it gets the partition until it loses it. */
export class Term implements Ownership, Hold {
  readonly #rights: TermRights;
  #isOver = false;

  constructor(rights: TermRights) {
    this.#rights = rights;
  }

  get isOurs(): boolean {
    return !this.#isOver && this.#rights.mayBegin();
  }

  get isHeld(): boolean {
    return !this.#isOver && this.#rights.isSure();
  }

  end(): void {
    this.#isOver = true;
  }
}
