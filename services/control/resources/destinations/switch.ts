import type { DestinationConfig } from "#topics";

type Switch = Pick<DestinationConfig, "enabled" | "enabledAtMs" | "disabledReason">;

/** Switching it on begins a new count of failure, and clears the reason why it was switched off; so does a person's own "off". */
export function patchSwitch(before: Switch, enabled: boolean | undefined, nowMs: number): Switch {
  const { enabledAtMs, disabledReason } = before;
  if (enabled === undefined) return { enabled: before.enabled, enabledAtMs, disabledReason };
  const isSwitchedOn = enabled && !before.enabled;
  return { enabled, enabledAtMs: isSwitchedOn ? nowMs : enabledAtMs, disabledReason: null };
}
