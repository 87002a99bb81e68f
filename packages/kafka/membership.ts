import type { Host } from "#host";

/**
 * Unanswered for so many session timeouts, a member takes its partitions for lost. Others get them one session timeout after the
 * last answered heartbeat at the earliest, so two work on one for half of one at most; while it is the coordinator that is away, as
 * long as a killed broker's successor takes to be found, nobody can get them, and nobody stops (docs/decisions/0016).
 */
const UNSURE_AFTER_SESSIONS = 1.5;

/** What a member knows of its own place in the group. */
export class Membership {
  readonly #sureForMs: number;
  readonly #host: Pick<Host, "now">;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  constructor(sessionTimeoutMs: number, host: Pick<Host, "now">) {
    this.#sureForMs = sessionTimeoutMs * UNSURE_AFTER_SESSIONS;
    this.#host = host;
  }

  /** The coordinator has answered what it was asked at this time, Unix ms. */
  answered(askedAtMs: number): void {
    this.#answeredAtMs = askedAtMs;
  }

  /** What it was assigned is still its own. */
  get isSure(): boolean {
    return this.#host.now() - this.#answeredAtMs < this.#sureForMs;
  }
}
