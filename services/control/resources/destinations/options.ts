// The options of a destination: limits, filters, when it is switched off (contract 4.4, 4.5). Pure.
import { formatDuration, type JsonObject, parseDuration } from "#contract";
import type { DestinationConfig } from "#topics";

/** As requests give them; what is absent stays, null is the default. */
export interface OptionsInput {
  readonly events?: readonly string[] | null;
  /** Conditions that the rules have let through. */
  readonly filter?: JsonObject | null;
  readonly maxRequestsPerSecond?: number | null;
  readonly maxInFlight?: number | null;
  readonly shards?: number | null;
  /** A duration that the rules have let through. */
  readonly disableAfter?: string | null;
  readonly retryDelays?: readonly string[] | null;
  readonly retryWindow?: string | null;
  readonly standardWebhooks?: boolean;
}

type Options = Pick<
  DestinationConfig,
  | "events"
  | "filter"
  | "maxRequestsPerSecond"
  | "maxInFlight"
  | "shardWidth"
  | "disableAfterMs"
  | "retryDelaysMs"
  | "retryWindowMs"
  | "standardWebhooks"
>;

export function patchOptions(before: Options, patch: OptionsInput): Options {
  const { events = before.events, shards = before.shardWidth, disableAfter } = patch;
  const { maxRequestsPerSecond = before.maxRequestsPerSecond, maxInFlight = before.maxInFlight } = patch;
  return {
    events: events === null ? null : [...events],
    filter: patch.filter === undefined ? before.filter : filterText(patch.filter),
    maxRequestsPerSecond,
    maxInFlight,
    shardWidth: shards,
    disableAfterMs:
      disableAfter === undefined ? before.disableAfterMs : (parseDuration(disableAfter) ?? null),
    retryDelaysMs: patch.retryDelays === undefined ? before.retryDelaysMs : delaysMs(patch.retryDelays),
    retryWindowMs:
      patch.retryWindow === undefined ? before.retryWindowMs : (parseDuration(patch.retryWindow) ?? null),
    standardWebhooks: patch.standardWebhooks ?? before.standardWebhooks,
  };
}

function delaysMs(texts: readonly string[] | null): number[] | null {
  return texts === null ? null : texts.flatMap((text) => parseDuration(text) ?? []);
}

function filterText(filter: JsonObject | null): string | null {
  return filter === null ? null : JSON.stringify(filter);
}

export function optionsView(destination: DestinationConfig) {
  const { events, maxRequestsPerSecond, maxInFlight, shardWidth, disableAfterMs } = destination;
  const { filter, retryDelaysMs, retryWindowMs } = destination;
  return {
    events,
    filter: filter === null ? null : (JSON.parse(filter) as JsonObject),
    maxRequestsPerSecond,
    maxInFlight,
    shards: shardWidth,
    disableAfter: disableAfterMs === null ? null : formatDuration(disableAfterMs),
    retryDelays: retryDelaysMs?.map((delayMs) => formatDuration(delayMs)) ?? null,
    retryWindow: retryWindowMs === null ? null : formatDuration(retryWindowMs),
    disabledReason: destination.disabledReason,
    standardWebhooks: destination.standardWebhooks,
  };
}

type Switch = Pick<DestinationConfig, "enabled" | "enabledAtMs" | "disabledReason">;

/** Switching it on begins a new count of failure, and clears the reason why it was switched off; so does a person's own "off". */
export function patchSwitch(before: Switch, enabled: boolean | undefined, nowMs: number): Switch {
  const { enabledAtMs, disabledReason } = before;
  if (enabled === undefined) return { enabled: before.enabled, enabledAtMs, disabledReason };
  const isSwitchedOn = enabled && !before.enabled;
  return { enabled, enabledAtMs: isSwitchedOn ? nowMs : enabledAtMs, disabledReason: null };
}
