// The few causes that are worth an alert beside the objectives.
import { OUTCOMES } from "./outcome-alerts.ts";
import { PROCESSES } from "./process-alerts.ts";
import { READERS } from "./reader-alerts.ts";
import { type AlertRule, type AlertText, alertRule } from "./rule.ts";

const on = (dashboard: string, alerts: readonly AlertText[]): AlertRule[] =>
  alerts.map((alert) =>
    alertRule(alert, alert.alert.startsWith("HooklineAudience") ? "hookline-audiences" : dashboard),
  );

export const causeAlerts = [
  ...on("hookline-overview", PROCESSES),
  ...on("hookline-kafka", READERS),
  ...on("hookline-delivery", OUTCOMES),
];
