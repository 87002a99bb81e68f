import type { Host } from "#host";
import { withinMs } from "../within.ts";
import type { Capacity } from "./capacity.ts";
import type { Committer } from "./committer.ts";

/**
 * The longest wait of a join for work under way. All members wait for the last one. Where members hand over
 * quickly, a killed member's partitions shall move within 8 s: its session takes 6 s and the next heartbeat
 * of the others half a second.
 */
const WAIT_MS = 1_000;
/** The same where a partition with work under way does not move: what is quick ends, and spares another rebalance. */
const WAIT_FOR_QUICK_MS = 250;

/** A commit that takes longer does not come back; the join goes on without it. */
const COMMIT_WITHIN_MS = 500;

export interface HandOverParts {
  readonly capacity: Pick<Capacity, "empty">;
  readonly committer: Pick<Committer, "commit">;
  readonly host: Host;
  /** Partitions of which records are worked on do not move (`Release`). */
  readonly keepsBusy: boolean;
}

/**
 * The hand-over of a member before it joins the group again, because any of its partitions may then be
 * another's. It begins no new work, lets work under way end, and commits it. Work that ends later is done
 * twice when its partition has moved, unless the group keeps busy partitions where they are.
 */
export class HandOver {
  readonly #parts: HandOverParts;
  /** The one that is under way. Its session may end, and the next one's begin, while it waits. */
  #current: { isJoining: boolean } | undefined;

  constructor(parts: HandOverParts) {
    this.#parts = parts;
  }

  /** True while the member may begin nothing new. */
  get isUnderWay(): boolean {
    return this.#current !== undefined;
  }

  /** True while the member waits to be in the group again: the coordinator refuses its commits until then, however long others take. */
  get isJoining(): boolean {
    return this.#current?.isJoining === true;
  }

  /** Resolves when the member may join: after 1.5 s at the latest. */
  async begin(): Promise<void> {
    const { capacity, committer, host, keepsBusy } = this.#parts;
    const own = { isJoining: false };
    this.#current = own;
    // The commit precedes the wait, too: the process may die in it.
    void committer.commit();
    await withinMs(capacity.empty(), keepsBusy ? WAIT_FOR_QUICK_MS : WAIT_MS, host);
    await withinMs(committer.commit(), COMMIT_WITHIN_MS, host);
    own.isJoining = true;
  }

  /** The member has joined, or could not: what is its own goes on. */
  end(): void {
    this.#current = undefined;
  }
}
