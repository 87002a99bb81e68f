// Whether calls get through to a destination, as its attempts say (contract 4.5). Pure.
//
// A call counts as delivered when one webhook takes it (contract 3.2), so a destination fails while the last attempt of every one of
// its webhooks failed: unbroken failure. One that still takes calls is healthy, and the others are the reasons why not all is well.
//
// A destination is untested until something gets through; what can never get through, as its first calls say, is failing at once.
//
//   untested ── a success ──▶ healthy
//   untested ── every webhook refused for good, or unbroken failure for failingAfterMs ──▶ failing
//   healthy ── unbroken failure for failingAfterMs ──▶ failing ── a success ──▶ recovering ── recoveredAfterMs ──▶ healthy
//                                                         ◀── unbroken failure for failingAfterMs ──┘
//
// Only the first of these changes and the last one are told to the operator: an endpoint that comes and goes is failing once, and
// recovered when it has stayed. A failure that does not last is none.
import { isPermanent } from "#contract";
import type { DeliveryAttempt, DestinationHealth, WebhookHealth } from "#topics";
import { isAbout, unbrokenSinceMs } from "../../resources/destinations/health/written.ts";

/** What health looks at in an attempt. */
export type AttemptSeen = Pick<
  DeliveryAttempt,
  "url" | "outcome" | "status" | "message" | "startedAtMs" | "durationMs" | "suppressed"
> & { readonly offset: number };

export interface HealthRules {
  readonly failingAfterMs: number;
  readonly recoveredAfterMs: number;
}

export interface HealthContext extends HealthRules {
  readonly destinationId: string;
  /** Of the destination's webhooks as configured now. */
  readonly urls: readonly string[];
}

export type HealthChange = "failing" | "recovered";

export interface HealthStep {
  readonly health: DestinationHealth;
  /** What the operator is told. */
  readonly change: HealthChange | undefined;
}

/**
 * Of successes only the first after a failure of the destination is sure to have a record. A webhook that works again beside another
 * one may so have none; it is taken for working when it has not failed for this long while calls got through: twice the longest
 * request, and the ten seconds for which a failure over the bound is held back.
 */
const QUIET_MS = 60_000;

export function nextHealth(
  before: DestinationHealth | undefined,
  attempt: AttemptSeen,
  context: HealthContext,
): HealthStep {
  const atMs = attempt.startedAtMs + attempt.durationMs;
  const so = startOf(before, atMs, context);
  if (!context.urls.includes(attempt.url) || isKnown(before, attempt.offset, atMs))
    return { health: before ?? so, change: undefined };
  const isFirstSuccess = so.state === "untested" && attempt.outcome === "success";
  const seen: DestinationHealth = {
    ...so,
    ...(isFirstSuccess ? { state: "healthy", sinceMs: atMs } : {}),
    webhooks: nextWebhooks(so.webhooks, attempt, atMs).filter(({ url }) => context.urls.includes(url)),
    urls: [...context.urls],
    attemptOffset: attempt.offset,
    attemptAtMs: atMs,
  };
  return nextState(seen, atMs, context);
}

/** What time alone changes: a destination that has stayed recovered is healthy, also when no more calls come. */
export function laterHealth(health: DestinationHealth, nowMs: number, context: HealthContext): HealthStep {
  return isAbout(health, context.urls) ? nextState(health, nowMs, context) : { health, change: undefined };
}

function startOf(
  before: DestinationHealth | undefined,
  atMs: number,
  { destinationId, urls }: HealthContext,
): DestinationHealth {
  if (before !== undefined && isAbout(before, urls)) return before;
  // What was read stays read, whichever URL it was of.
  const { attemptOffset = -1, attemptAtMs = atMs } = before ?? {};
  return {
    ...{ destinationId, state: "untested", sinceMs: atMs, webhooks: [], urls: [] },
    ...{ attemptOffset, attemptAtMs },
  };
}

/** Read again after a crash. In a topic that was created again offsets are small again, but times are not. */
function isKnown(before: DestinationHealth | undefined, offset: number, atMs: number): boolean {
  return before !== undefined && offset <= before.attemptOffset && atMs <= before.attemptAtMs;
}

function nextWebhooks(before: readonly WebhookHealth[], attempt: AttemptSeen, atMs: number): WebhookHealth[] {
  const { url, outcome, status, message, suppressed } = attempt;
  const others = before.filter((webhook) => webhook.url !== url);
  if (outcome === "success") return others.filter(({ lastAtMs }) => atMs - lastAtMs < QUIET_MS);
  const known = before.find((webhook) => webhook.url === url);
  const failures = (known?.failures ?? 0) + 1 + suppressed;
  const failed = { url, sinceMs: known?.sinceMs ?? atMs, failures, lastAtMs: atMs, outcome, status, message };
  return [...others, failed];
}

/** Nothing ever got through, and the next call will fare no better: a wrong URL, a certificate of one's own, a blocked address. */
function isHopeless({ state, webhooks }: DestinationHealth): boolean {
  return state === "untested" && webhooks.every(({ outcome }) => isPermanent(outcome));
}

function nextState(health: DestinationHealth, atMs: number, context: HealthContext): HealthStep {
  const brokenSinceMs = unbrokenSinceMs(health, context.urls);
  const same: HealthStep = { health, change: undefined };
  if (health.state === "failing") {
    if (brokenSinceMs !== undefined) return same;
    return { health: { ...health, state: "recovering", sinceMs: atMs }, change: undefined };
  }
  if (brokenSinceMs !== undefined) {
    // The failure is as old as its last attempt: that nothing was sent since is no failure.
    const isLong = health.attemptAtMs - brokenSinceMs >= context.failingAfterMs;
    if (!isLong && !isHopeless(health)) return same;
    const change = health.state === "recovering" ? undefined : "failing";
    return { health: { ...health, state: "failing", sinceMs: brokenSinceMs }, change };
  }
  if (health.state !== "recovering" || atMs - health.sinceMs < context.recoveredAfterMs) return same;
  return { health: { ...health, state: "healthy", sinceMs: atMs }, change: "recovered" };
}
