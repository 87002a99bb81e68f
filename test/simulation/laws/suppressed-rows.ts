// Whom audiences say nothing of, as the table has it by which control goes.
import { SPACE_SOURCE } from "#contract";
import { suppressionKey, userHash } from "#topics";
import { type Period, periodsOf } from "./regulations.ts";
import type { Story, Written } from "./story.ts";

/** In the workspace, or in the source of audiences. */
export function suppressionsOf(story: Story, userId: string): readonly Period[] {
  const periods = periodsOf(story);
  if (periods.size === 0) return [];
  const hash = userHash(userId);
  return [null, SPACE_SOURCE].flatMap((scope) => periods.get(suppressionKey(scope, hash)) ?? []);
}

/** Since when the user was suppressed when the record was written, if they were so already at `beforeMs`. */
export function suppressedAt(
  story: Story,
  { atMs, record }: Written<unknown>,
  beforeMs: number,
): number | undefined {
  const own = suppressionsOf(story, record.key ?? "");
  return own.find(({ fromMs, untilMs }) => fromMs < beforeMs && untilMs > atMs)?.fromMs;
}
