// Ends the records of what is deleted, a week later. One process does it: the one that has the first partition of the imports. A death
// between any two lines leaves what the next look finds:
//   1. imports of deleted lists end.
//   2. what every partition has let go of keeps nothing but its key, written as an edit (decision 75): a process that stood still is refused.
//   3. with that the owner of each partition of profiles ends its progress of it (services/audience-processor/computations/progress.ts).
// The progress outlives the definition: without it each owner would look through all profiles for members once more.
import type { Table } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { AudienceConfig, AudienceProgress } from "#topics";
import type { EditedStore } from "../../records/edited-store.ts";
import { StaleEdit } from "../../records/sole-writer.ts";
import { forgetAudience } from "../../resources/audiences/audience.ts";
import type { ImportQueue } from "../imports/queue.ts";
import { endedImports, forgettable, type Known } from "./forget.ts";

export interface DeletedAudienceParts {
  readonly audiences: Pick<EditedStore<AudienceConfig>, "refresh" | "rewrite"> & { list(): AudienceConfig[] };
  readonly audienceProgress: Pick<Table<AudienceProgress>, "get" | "load">;
  readonly profilePartitions: number;
  readonly imports: Pick<ImportQueue, "all" | "refresh" | "remove">;
  /** Whether this process has the first partition of the imports. */
  isFirstOwner(): boolean;
}

type Context = Pick<
  ServiceContext<{
    readonly deletedAudiences: { readonly keptMs: number };
    readonly switch: { readonly hasAudiences: boolean };
  }>,
  "host" | "lifecycle" | "logger" | "nowMs" | "settings"
>;

/** Also where nothing is kept. */
const LEAST_BETWEEN_MS = 1_000;
const MOST_BETWEEN_MS = 3_600_000;

export function openDeletedAudiences(
  { host, lifecycle, logger, nowMs, settings }: Context,
  parts: DeletedAudienceParts,
): void {
  if (!settings.switch.hasAudiences) return;
  const { keptMs } = settings.deletedAudiences;
  let isLooking = false;
  async function look(): Promise<void> {
    if (isLooking || !parts.isFirstOwner()) return;
    isLooking = true;
    try {
      await forgetDeleted(parts, nowMs() - keptMs, nowMs);
    } catch (error) {
      // Somebody else has written, or Kafka is away: the next look decides again.
      logger.debug({ err: error }, "what was deleted is not forgotten yet");
    } finally {
      isLooking = false;
    }
  }
  const betweenMs = Math.max(LEAST_BETWEEN_MS, Math.min(keptMs, MOST_BETWEEN_MS));
  const timer = host.setInterval(() => void look(), betweenMs);
  lifecycle.onStop("forgetting of audiences", async () => timer.clear());
}

/** Of what was deleted before that moment. */
export async function forgetDeleted(
  parts: DeletedAudienceParts,
  beforeMs: number,
  nowMs: () => number,
): Promise<void> {
  const { audienceProgress, audiences, imports } = parts;
  const known = (): Known => ({
    configs: audiences.list(),
    imports: imports.all(),
    progressOf: (key) => audienceProgress.get(key),
    partitions: parts.profilePartitions,
    beforeMs,
  });
  // Mostly there is nothing, and Kafka is not asked for it.
  if (endedImports(known()).length + forgettable(known()).length === 0) return;
  await Promise.all([audiences.refresh(), audienceProgress.load(), imports.refresh()]);
  await imports.remove(endedImports(known()));
  for (const before of forgettable(known())) {
    await audiences.rewrite({ before, after: forgetAudience(before, nowMs()) }).catch((error: unknown) => {
      if (!(error instanceof StaleEdit)) throw error;
    });
  }
}
