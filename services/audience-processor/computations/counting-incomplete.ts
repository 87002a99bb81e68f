import type { Telemetry } from "../telemetry.ts";
import type { Progress } from "./progress.ts";

export function countingIncomplete(
  telemetry: Telemetry,
  progress: Pick<Progress, "addIncomplete">,
  partition: number,
): Telemetry {
  return {
    ...telemetry,
    incomplete(before, now) {
      if (before === now) return;
      telemetry.incomplete(before, now);
      for (const id of now) if (!before.has(id)) progress.addIncomplete(id, partition, 1);
      for (const id of before) if (!now.has(id)) progress.addIncomplete(id, partition, -1);
    },
  };
}
