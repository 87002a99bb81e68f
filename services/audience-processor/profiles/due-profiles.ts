import { advance, type Profile } from "#audiences";
import type { ProfileCache } from "./profile-cache.ts";
import type { WorkerParts } from "./worker-parts.ts";

interface DueParts extends Pick<WorkerParts, "store" | "computations" | "telemetry"> {
  readonly cache: Pick<ProfileCache, "peek" | "isUnreadable">;
}

/**
 * Profiles that are due by then and not in hand, as they are then; at most `limit`, the earliest first. One that cannot be had at once is
 * found due again; those that cannot be read are left out, so that they never fill a look.
 */
export function* dueProfiles(
  { cache, computations, store, telemetry }: DueParts,
  untilMs: number,
  limit: number,
  isInHand: (id: string) => boolean,
): Generator<Profile> {
  for (const id of store.due(untilMs, limit, (one) => isInHand(one) || cache.isUnreadable(one))) {
    const profile = cache.peek(id);
    if (profile === undefined) continue;
    if (profile.redirectTo === undefined && profile.nextDeadlineMs <= untilMs) {
      const unsent = profile.outbox.length;
      advance(profile, computations.set, untilMs);
      telemetry.changed("time", profile.outbox.length - unsent);
      telemetry.timerFired();
    }
    yield profile;
  }
}
