import type { Host } from "#host";

/**
 * Session timeouts without an answer after which a member takes its partitions for lost, unless it asks for
 * another number. Others get them one session timeout after the last answered heartbeat at the earliest, so
 * two members work on one partition for at most half a session timeout. While the coordinator itself is away
 * (until a killed broker's successor is found), nobody can get them, and nobody stops (decision 16).
 */
const UNSURE_AFTER_SESSIONS = 1.5;

const NEVER = { atMs: Number.NEGATIVE_INFINITY, elapsedMs: Number.NEGATIVE_INFINITY };

interface MembershipOptions {
  readonly sessionTimeoutMs: number;
  readonly unsureAfterSessions?: number | undefined;
}

/**
 * A member's knowledge of its own place in the group. Two clocks measure how long it was unanswered, and the
 * longer time counts: somebody may set the wall clock back, and the monotonic clock stands still while the
 * machine sleeps.
 */
export class Membership {
  readonly #sureForMs: number;
  readonly #isSureOnlyAlone: boolean;
  readonly #host: Pick<Host, "now" | "elapsed">;
  #answered = NEVER;

  constructor(
    { sessionTimeoutMs, unsureAfterSessions = UNSURE_AFTER_SESSIONS }: MembershipOptions,
    host: Pick<Host, "now" | "elapsed">,
  ) {
    this.#sureForMs = sessionTimeoutMs * unsureAfterSessions;
    this.#isSureOnlyAlone = unsureAfterSessions <= 1;
    this.#host = host;
  }

  /** The coordinator has answered what it was asked at this time, Unix ms. */
  answered(askedAtMs: number): void {
    const agoMs = Math.max(0, this.#host.now() - askedAtMs);
    this.#answered = { atMs: askedAtMs, elapsedMs: this.#host.elapsed() - agoMs };
  }

  /**
   * The member gives its place up, to come back as a new one. If the group hears of it, others may have its partitions at once; if it does
   * not, nobody can: one that works on beside others for a while works on.
   */
  left(): void {
    if (this.#isSureOnlyAlone) this.#answered = NEVER;
  }

  /** Tells whether the member's assignment is still its own. */
  get isSure(): boolean {
    const { atMs, elapsedMs } = this.#answered;
    return Math.max(this.#host.now() - atMs, this.#host.elapsed() - elapsedMs) < this.#sureForMs;
  }
}
