// Imports that wait for somebody to confirm them.
import type { MembershipImport } from "#topics";

/**
 * Since when the oldest one waits, Unix ms; undefined: none does. One that a later import of its list has overtaken was answered that way,
 * one of a list that is gone needs no answer, and who had it held to see its differences knows of it.
 */
export function oldestHeldMs(
  entries: Iterable<readonly [string, MembershipImport]>,
  isThere: (audienceId: string) => boolean,
): number | undefined {
  const all = Array.from(entries, ([, one]) => one);
  let oldestMs: number | undefined;
  for (const one of all) {
    if (one.state !== "held" || one.isHeldByRequest || !isThere(one.audienceId)) continue;
    const isOvertaken = all.some(
      ({ audienceId, queuedAtMs, state }) =>
        state === "applied" && audienceId === one.audienceId && queuedAtMs > one.queuedAtMs,
    );
    if (!isOvertaken) oldestMs = Math.min(oldestMs ?? one.updatedAtMs, one.updatedAtMs);
  }
  return oldestMs;
}
