// Unbroken failure for as long as its owner asked for switches a destination off (contract 4.5); nothing is without being asked to. Pure.
import { formatDuration, type OutcomeReason } from "#contract";
import type { DestinationConfig, DestinationHealth } from "#topics";
import { unbrokenSinceMs } from "../../resources/destinations/health/written.ts";

/** A key of ours that is missing is not the endpoint's failure. */
const OWN_FAILURE: OutcomeReason = "secret_unreadable";

/**
 * The reason why the destination is to be switched off now, or undefined. What failed before it was last switched on does not count,
 * nor does silence: the failure is as long as its attempts say.
 */
export function disableReason(config: DestinationConfig, health: DestinationHealth): string | undefined {
  const { enabled, disableAfterMs, enabledAtMs, webhooks } = config;
  if (!enabled || disableAfterMs === null) return undefined;
  const urls = webhooks.map(({ url }) => url);
  const brokenSinceMs = unbrokenSinceMs(health, urls);
  if (brokenSinceMs === undefined) return undefined;
  const sinceMs = Math.max(brokenSinceMs, enabledAtMs ?? 0);
  if (health.attemptAtMs - sinceMs < disableAfterMs) return undefined;
  const outcomes = new Set(health.webhooks.map(({ outcome }) => outcome));
  if (outcomes.has(OWN_FAILURE)) return undefined;
  const since = new Date(sinceMs).toISOString();
  return `every attempt failed for ${formatDuration(disableAfterMs)}, since ${since}: ${[...outcomes].join(", ")}`;
}

/** Whether the attempt that was just seen is one after which we switched it off: its event may not have been sent yet. */
export function isDisabledByUs({ enabled, disabledReason }: DestinationConfig): boolean {
  return !enabled && disabledReason !== null;
}

export function disabled(config: DestinationConfig, reason: string, nowMs: number): DestinationConfig {
  return {
    ...config,
    enabled: false,
    disabledReason: reason,
    version: config.version + 1,
    updatedAtMs: nowMs,
  };
}
