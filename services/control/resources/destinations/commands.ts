// What the API does with a destination that there is, whoever asks.
import { type DestinationConfig, EVERY_CALL } from "#topics";
import type { Actor } from "../../http/caller.ts";
import { oncePer } from "../../records/change-queue.ts";
import { type DestinationPatch, patchDestination } from "./destination.ts";
import { existingDestination } from "./existing.ts";
import type { DestinationParts } from "./parts.ts";
import { sealerOf } from "./secrets.ts";

interface Asked {
  readonly id: string;
  readonly by: Actor;
  /** Throws when the change may not be made of what is there. */
  check?(before: DestinationConfig): void;
}

/** Durable when it resolves. */
export async function changeDestination(
  parts: DestinationParts,
  { by, check, id }: Asked,
  patch: DestinationPatch,
): Promise<DestinationConfig> {
  const { changes, destinations, secrets, telemetry } = parts;
  const changed = await changes.run(async () => {
    const before = existingDestination(parts, id);
    check?.(before);
    const making = { sealer: sealerOf(secrets, id), nowMs: parts.nowMs() };
    const after = patchDestination(before, patch, making);
    await destinations.replace({ before, after, by });
    return after;
  });
  telemetry.changed("destination", "updated");
  return changed;
}

/** Durable when it resolves; calls that wait for it become dead letters within seconds. */
export async function deleteDestination(parts: DestinationParts, { by, check, id }: Asked): Promise<void> {
  const { changes, destinations, health, retryRequests, telemetry } = parts;
  const ask = oncePer(() =>
    retryRequests.ask({ destinationId: id, kind: "deleted", ...EVERY_CALL, found: null }),
  );
  await changes.run(async () => {
    const before = existingDestination(parts, id);
    check?.(before);
    // First: it means nothing before the destination is gone, and would be forgotten if this process died in between.
    await ask(id);
    await destinations.discard(before, by);
  });
  health.forget(id);
  telemetry.changed("destination", "deleted");
}
