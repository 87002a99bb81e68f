// Getting newly assigned partitions ready for their first step.
import type { Host } from "#host";
import { backoffMs } from "../backoff.ts";
import { toError } from "../errors.ts";
import type { RunnerOptions } from "../runner-types.ts";
import type { KafkaLogger, TopicPartition } from "../types.ts";

const RETRY_MS = { first: 200, max: 5_000 };

/** One partition in one of its terms: from its assignment until it is lost. */
export interface Opening {
  readonly partition: TopicPartition;
  /** The partition was lost since. It may be ours again by now: that is another term, with an opening of its own. */
  readonly isOver: boolean;
  /** Lets stepping begin. */
  begin(): void;
}

export interface OpeningParts {
  readonly onAssigned: RunnerOptions<never>["onAssigned"] | undefined;
  readonly openPartition: RunnerOptions<never>["openPartition"] | undefined;
  readonly logger: KafkaLogger;
  readonly host: Host;
}

/** Opens all of them together first, then each by itself, so that a slow one delays no other. Never rejects. */
export async function openAll(openings: readonly Opening[], parts: OpeningParts): Promise<void> {
  const { onAssigned, openPartition } = parts;
  if (onAssigned !== undefined)
    await untilDone(openings, parts, (left) => onAssigned(left.map(({ partition }) => partition)));
  await Promise.all(
    openings.map(async (opening) => {
      if (openPartition !== undefined && !opening.isOver)
        await untilDone([opening], parts, () => openPartition(opening.partition));
      if (!opening.isOver) opening.begin();
    }),
  );
}

/** Repeats the work for those openings that are not over, until it is done or none is left. */
async function untilDone(
  openings: readonly Opening[],
  { host, logger }: OpeningParts,
  work: (openings: readonly Opening[]) => Promise<void>,
): Promise<void> {
  let left = openings;
  for (let failures = 0; left.length > 0 || failures === 0; left = left.filter(({ isOver }) => !isOver)) {
    try {
      await work(left);
      return;
    } catch (thrown) {
      // Lost, or the process ends: what it waited for ended too.
      if (left.every(({ isOver }) => isOver)) return;
      logger.error({ failures, error: toError(thrown).message }, "assigned partitions cannot be opened yet");
      failures += 1;
      await host.delay(backoffMs(failures, RETRY_MS, host));
    }
  }
}
