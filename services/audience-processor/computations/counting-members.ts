import type { Telemetry } from "../telemetry.ts";
import type { Progress } from "./progress.ts";

/** Members are counted where changes are sent, incomplete profiles where they change. */
export function countingMembers(
  telemetry: Telemetry,
  progress: Pick<Progress, "add">,
  partition: number,
): Telemetry {
  return {
    ...telemetry,
    membersLeft(ids) {
      for (const id of ids) progress.add(id, partition, { members: -1 });
    },
    incomplete(before, now) {
      if (before === now) return;
      telemetry.incomplete(before, now);
      for (const id of now) if (!before.has(id)) progress.add(id, partition, { incompleteProfiles: 1 });
      for (const id of before) if (!now.has(id)) progress.add(id, partition, { incompleteProfiles: -1 });
    },
    sent(flips, nowMs) {
      telemetry.sent(flips, nowMs);
      for (const { computationId, text } of flips)
        if (text === "true" || text === "false")
          progress.add(computationId, partition, { members: text === "true" ? 1 : -1 });
    },
  };
}
