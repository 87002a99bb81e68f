// How a destination's pause and what is asked of its waiting calls change its configuration; pure.
import { Type } from "typebox";
import { formatDuration, isJsonObject, parseDuration, UNITS_MS } from "#contract";
import type { DestinationConfig } from "#topics";
import { DRY_RUN } from "../../http/dry-run.ts";
import { nullableString } from "../../http/nullable.ts";
import type { FieldProblem } from "../../http/problem.ts";
import { isoTime } from "../../http/time-pages.ts";

/** Calls are accepted for days, and what waits is rewritten every half hour: longer is a destination that is off. */
export const MAX_PAUSE_LIMIT_MS = 7 * UNITS_MS.d;
const MAX_LIMIT = formatDuration(MAX_PAUSE_LIMIT_MS);

const LIMIT = `How long a call may wait for the pause to end, counted from when it was to be sent; then it is a dead letter, destination_paused. As 90s, 30m, 12h, 2d or in ISO 8601 (PT12H), at most ${MAX_LIMIT}; null is the window of retries.`;

const Limit = nullableString(LIMIT);

export const PauseBody = Type.Object(
  { callsWaitFor: Type.Optional(Limit), ...DRY_RUN },
  { additionalProperties: false, default: {}, title: "NewPause", description: "How long its calls wait." },
);

export const PauseView = Type.Object(
  { since: Type.String({ format: "date-time" }), callsWaitFor: Limit },
  { title: "Pause", description: "Its calls wait instead of being sent." },
);

/** What is wrong with a request, whatever it looks like. */
export function pauseProblems(body: unknown): FieldProblem[] {
  const limit = isJsonObject(body) ? body["callsWaitFor"] : undefined;
  if (typeof limit !== "string") return [];
  const limitMs = parseDuration(limit);
  if (limitMs === undefined) return [{ path: "callsWaitFor", message: "is not a duration such as 12h" }];
  if (limitMs > 0 && limitMs <= MAX_PAUSE_LIMIT_MS) return [];
  return [{ path: "callsWaitFor", message: `must be longer than 0s, and at most ${MAX_LIMIT}` }];
}

interface Change {
  readonly nowMs: number;
}

/** One that is paused already gets the new limit, none where none is given, and stays paused since when it was. */
export function paused(
  before: DestinationConfig,
  limit: string | null | undefined,
  { nowMs }: Change,
): DestinationConfig {
  const pauseLimitMs = parseDuration(limit) ?? null;
  return changed(before, { pausedAtMs: before.pausedAtMs ?? nowMs, pauseLimitMs }, nowMs);
}

export function resumed(before: DestinationConfig, { nowMs }: Change): DestinationConfig {
  const lastedMs = Math.max(0, nowMs - (before.pausedAtMs ?? nowMs));
  const pausedMs = before.pausedMs + lastedMs;
  return changed(before, { pausedAtMs: null, pauseLimitMs: null, pausedMs }, nowMs);
}

function changed(
  before: DestinationConfig,
  change: Partial<DestinationConfig>,
  nowMs: number,
): DestinationConfig {
  return { ...before, ...change, version: before.version + 1, updatedAtMs: nowMs };
}

export function pauseView({ pausedAtMs, pauseLimitMs }: DestinationConfig) {
  if (pausedAtMs === null) return null;
  const callsWaitFor = pauseLimitMs === null ? null : formatDuration(pauseLimitMs);
  return { since: isoTime(pausedAtMs), callsWaitFor };
}
