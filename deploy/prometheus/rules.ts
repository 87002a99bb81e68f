import { burnAlerts, recordingRules } from "./burn-rates.ts";
import { OBJECTIVES } from "./objectives.ts";
import { OUTCOMES } from "./outcome-alerts.ts";
import { PROCESSES } from "./process-alerts.ts";
import { READERS } from "./reader-alerts.ts";
import { type AlertRule, type AlertText, alertRule, type RuleGroup } from "./rule.ts";

const on = (dashboard: string, alerts: readonly AlertText[]): AlertRule[] =>
  alerts.map((alert) =>
    alertRule(alert, alert.alert.startsWith("HooklineAudience") ? "hookline-audiences" : dashboard),
  );

/** The few causes that are worth an alert beside the objectives. */
const causeAlerts = [
  ...on("hookline-overview", PROCESSES),
  ...on("hookline-kafka", READERS),
  ...on("hookline-delivery", OUTCOMES),
];

/** All rules, as they stand in hookline.rules.yaml. */
export const ruleGroups: readonly RuleGroup[] = [
  ...OBJECTIVES.map((objective) => ({
    name: `hookline-${objective.id.replaceAll("_", "-")}`,
    rules: [...recordingRules(objective), ...burnAlerts(objective)],
  })),
  { name: "hookline-causes", rules: causeAlerts },
];

export const alertRules: readonly AlertRule[] = ruleGroups
  .flatMap(({ rules }) => rules)
  .filter((rule): rule is AlertRule => "alert" in rule);
