// What the API does with a destination that there is, whoever asks.
import { type DestinationConfig, EVERY_CALL } from "#topics";
import type { Actor } from "../../http/caller.ts";
import { oncePer } from "../../records/change-queue.ts";
import { type DestinationPatch, isFaster, patchDestination } from "./destination.ts";
import { existingDestination } from "./existing.ts";
import type { DestinationParts } from "./parts.ts";
import { sealerOf } from "./secrets.ts";

interface Asked {
  readonly id: string;
  readonly by: Actor;
  /** Throws when the change may not be made of what is there. */
  check?(before: DestinationConfig): void;
}

/** Durable when it resolves. Calls whose turn a lower rate had put far out come at the turns of the new one. */
export async function changeDestination(
  parts: DestinationParts,
  { by, check, id }: Asked,
  patch: DestinationPatch,
): Promise<DestinationConfig> {
  const { changes, destinations, secrets, telemetry } = parts;
  const ask = oncePer(() => askFor(parts, id, "retry"));
  const changed = await changes.run(async () => {
    const before = existingDestination(parts, id);
    check?.(before);
    const making = { sealer: sealerOf(secrets, id), nowMs: parts.nowMs() };
    const after = patchDestination(before, patch, making);
    // First: it does nothing but keep to the rate that is in force, and would be forgotten if this process died in between.
    if (isFaster(before, after)) await ask(before.maxRequestsPerSecond);
    await destinations.replace({ before, after, by });
    return after;
  });
  telemetry.changed("destination", "updated");
  return changed;
}

/** Durable when it resolves; calls that wait for it become dead letters within seconds. */
export async function deleteDestination(parts: DestinationParts, { by, check, id }: Asked): Promise<void> {
  const { changes, destinations, health, telemetry } = parts;
  const ask = oncePer(() => askFor(parts, id, "deleted"));
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

/** About all calls that wait for the destination. */
function askFor(
  { retryRequests }: Pick<DestinationParts, "retryRequests">,
  destinationId: string,
  kind: "retry" | "deleted",
): Promise<void> {
  return retryRequests.ask({ destinationId, kind, ...EVERY_CALL, found: null });
}
