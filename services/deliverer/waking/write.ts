import type { Host } from "#host";
import { type Hold, KafkaError, type OutgoingRecord } from "#kafka";

const RETRY_MS = { first: 200, max: 10_000 };

export interface WriteParts {
  /** Resolves when all of it is on disk. */
  write(records: readonly OutgoingRecord[], hold?: Hold): Promise<void>;
  /** The records were not taken; they are written again after a pause. */
  refused(error: unknown, failures: number): void;
  readonly host: Pick<Host, "delay">;
  /** Aborted when the process ends. */
  readonly stopping: AbortSignal;
}

/**
 * Writes until the records are on disk, with a growing pause; `onRefused` is called once, at the first refusal. False: the process ends, or what they
 * rest on is lost.
 */
export async function untilWritten(
  { host, refused, stopping, write }: WriteParts,
  records: readonly OutgoingRecord[],
  onRefused: () => void,
  hold?: Hold,
): Promise<boolean> {
  if (records.length === 0) return true;
  for (let failures = 1; ; failures += 1) {
    try {
      await write(records, hold);
      return true;
    } catch (error) {
      if (failures === 1) onRefused();
      if (stopping.aborted || isLost(error)) return false;
      refused(error, failures);
    }
    const pauseMs = Math.min(RETRY_MS.max, RETRY_MS.first * 2 ** Math.min(failures - 1, 10));
    await host.delay(pauseMs, stopping).catch(() => undefined);
  }
}

function isLost(error: unknown): boolean {
  return error instanceof KafkaError && error.code === "aborted";
}
