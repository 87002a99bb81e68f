// Profiles of one partition whose time has come, or that have something unsent which no event brings again.
import { advance, type Profile } from "#audiences";
import type { Batch } from "./batch.ts";
import type { ProfileCache } from "./profile-cache.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** Due profiles of one batch. After a full one more are looked for at once, and events come in between. */
const DUE_AT_A_TIME = 256;

interface DueParts extends Pick<WorkerParts, "store" | "computations" | "telemetry" | "turnTime"> {
  readonly cache: Pick<ProfileCache, "peek" | "isUnreadable">;
}

export class DueProfiles {
  readonly #parts: DueParts;
  #takenUntilMs = 0;

  constructor(parts: DueParts) {
    this.#parts = parts;
  }

  /** All that was due up to this moment was taken; 0: not known. */
  get takenUntilMs(): number {
    return this.#takenUntilMs;
  }

  /**
   * Takes those that are due by then and not in hand, as they are then, the earliest first; as many as the batch may have. One that cannot be
   * had at once is found due again, as are those for which the turn of the event loop has no time; those that cannot be read are left out, so that they never fill a look.
   */
  *take(batch: Batch, untilMs: number, isInHand: (id: string) => boolean): Generator<Profile> {
    const { cache, store, turnTime } = this.#parts;
    const isLeftOut = (id: string): boolean => isInHand(id) || cache.isUnreadable(id);
    for (const id of store.due(untilMs, DUE_AT_A_TIME - batch.due, isLeftOut)) {
      const profile = cache.peek(id);
      if (profile === undefined) continue;
      turnTime.begin();
      this.#advance(profile, untilMs);
      turnTime.end();
      batch.due += 1;
      yield profile;
      // As after a full batch: the others are looked for once this one is durable.
      if (turnTime.pause() !== undefined) batch.due = DUE_AT_A_TIME;
      if (isFull(batch)) break;
    }
    if (!isFull(batch)) this.#takenUntilMs = untilMs;
  }

  /** What was taken is given back. */
  forget(): void {
    this.#takenUntilMs = 0;
  }

  #advance(profile: Profile, untilMs: number): void {
    const { computations, telemetry } = this.#parts;
    if (profile.redirectTo !== undefined || profile.nextDeadlineMs > untilMs) return;
    const unsent = profile.outbox.length;
    advance(profile, computations.set, untilMs);
    telemetry.changed("time", profile.outbox.length - unsent);
    telemetry.timerFired();
  }
}

/** More may be due than had a place. */
export function isFull(batch: Batch): boolean {
  return batch.due >= DUE_AT_A_TIME;
}
