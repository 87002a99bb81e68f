import { advance, type Profile } from "#audiences";
import type { WorkerParts } from "./worker-parts.ts";

interface DueParts extends Pick<WorkerParts, "store" | "computations" | "telemetry"> {
  /** Undefined when it cannot be had at once: then it is found due again. */
  peek(id: string): Profile | undefined;
}

/** Profiles that are due by then and not in hand, as they are then; at most `limit`, the earliest first. */
export function* dueProfiles(
  { computations, peek, store, telemetry }: DueParts,
  untilMs: number,
  limit: number,
  isInHand: (id: string) => boolean,
): Generator<Profile> {
  for (const id of store.due(untilMs, limit, isInHand)) {
    const profile = peek(id);
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
