// A law of audiences: of what is paused or deleted nothing is sent.
import { REQUEST_TIMEOUT_MS } from "#testing";
import { EPOCH_MS } from "#testing/host";
import { type Change, changesOf } from "./audience-changes.ts";
import { type Versions, versionsOf } from "./audience-versions.ts";
import { audienceLaw } from "./audiences.ts";

/** With nothing going wrong every processor knows a change of the configuration by then. */
const IN_FORCE_MS = 6_000;

/** From when until when nothing may be sent, milliseconds of the world. */
interface Silence {
  readonly fromMs: number;
  readonly untilMs: number;
  /** But for members who are sent `false`. */
  readonly isExitAll: boolean;
}

function* silencesOf({ writes }: Versions, calmMs: number): Generator<Silence> {
  for (const [index, { atMs, config }] of writes.entries()) {
    if (!config.isPaused && config.deletedAtMs === null) continue;
    const untilMs = writes[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    // Whose answer the last fault has swallowed asks again by then.
    const fromMs = Math.max(atMs, calmMs + REQUEST_TIMEOUT_MS) + IN_FORCE_MS;
    yield { fromMs, untilMs, isExitAll: config.deletedAtMs !== null && config.isExitAll };
  }
}

function breaks({ atMs, value }: Change, { fromMs, isExitAll, untilMs }: Silence): boolean {
  const changedAtMs = atMs - EPOCH_MS;
  return changedAtMs > fromMs && changedAtMs < untilMs && !(isExitAll && value === false);
}

/** Processors may not know for a while that it was paused or deleted, while something goes wrong; then they do. */
export const silenceIsKept = audienceLaw("of what is paused or deleted nothing is sent", function* (story) {
  const { calmMs } = story.plan.timing;
  for (const change of changesOf(story)) {
    const versions = versionsOf(story).get(change.audience.id);
    if (versions === undefined) continue;
    if ([...silencesOf(versions, calmMs)].some((silence) => breaks(change, silence)))
      yield `${change.user} in ${change.audience.key}: ${JSON.stringify(change.value)} at ${change.atMs - EPOCH_MS} ms`;
  }
});
