// within, between, after, before of an event leaf.
import { type JsonObject, parseDuration } from "#contract";
import type { EventLeaf, Window } from "./definition.ts";
import { MAX_WINDOW_MS, MIN_WINDOW_MS } from "./limits.ts";
import type { Problems } from "./problems.ts";
import { parseRfc3339 } from "./times.ts";

export const LIFETIME = { enterMs: 0, leaveMs: Number.POSITIVE_INFINITY };
type Span = Pick<Window, "enterMs" | "leaveMs">;

function readWithin(input: unknown, path: string, problems: Problems): Span {
  return { enterMs: 0, leaveMs: readDuration(input, path, problems) ?? MAX_WINDOW_MS };
}

/** A duration from 60s to 400d, ms; otherwise a problem. */
export function readDuration(input: unknown, path: string, problems: Problems): number | undefined {
  const durationMs = parseDuration(input);
  if (durationMs === undefined) return problems.add(path, "must be a duration like 30d, 12h, 5m or 90s");
  const isAllowed = durationMs >= MIN_WINDOW_MS && durationMs <= MAX_WINDOW_MS;
  return isAllowed ? durationMs : problems.add(path, "must be from 60s to 400d");
}

function readBetween(input: unknown, path: string, problems: Problems): Span {
  const [enterMs, leaveMs] = Array.isArray(input) && input.length === 2 ? input.map(parseDuration) : [];
  if (enterMs === undefined || leaveMs === undefined) {
    problems.add(path, 'must be two durations, the shorter one first: ["30d", "90d"]');
    return LIFETIME;
  }
  if (leaveMs > MAX_WINDOW_MS) problems.add(`${path}[1]`, "must be at most 400d");
  if (leaveMs - enterMs < MIN_WINDOW_MS)
    problems.add(path, "must have the shorter duration first, and 60s or more between the two");
  return { enterMs, leaveMs };
}

function readDate(input: unknown, path: string, problems: Problems): number | undefined {
  if (input === undefined) return undefined;
  return parseRfc3339(input) ?? problems.add(path, "must be a date as RFC 3339 has it: 2026-01-31T00:00:00Z");
}

function readSpan({ within, between }: JsonObject, path: string, problems: Problems): Span {
  if (within !== undefined && between !== undefined)
    problems.add(`${path}.between`, "contradicts within; keep one of the two");
  if (within !== undefined) return readWithin(within, `${path}.within`, problems);
  return between === undefined ? LIFETIME : readBetween(between, `${path}.between`, problems);
}

/** How long ago a call may be that the leaf asks for; a break may have begun at any time before its window. */
export function lookBackMs({ measure, window }: EventLeaf): number {
  return measure.kind === "runs" ? Number.POSITIVE_INFINITY : window.leaveMs;
}

/** The window that a leaf's fields say; without any of them its lifetime. */
export function readWindow(leaf: JsonObject, path: string, problems: Problems): Window {
  const span = readSpan(leaf, path, problems);
  const afterMs = readDate(leaf["after"], `${path}.after`, problems) ?? Number.NEGATIVE_INFINITY;
  const beforeMs = readDate(leaf["before"], `${path}.before`, problems) ?? Number.POSITIVE_INFINITY;
  if (afterMs >= beforeMs) problems.add(`${path}.before`, "must be later than after, or nothing ever counts");
  return { ...span, afterMs, beforeMs };
}
