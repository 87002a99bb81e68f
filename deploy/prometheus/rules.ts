import { burnAlerts, recordingRules } from "./burn-rates.ts";
import { causeAlerts } from "./causes.ts";
import { OBJECTIVES } from "./objectives.ts";
import type { AlertRule, RuleGroup } from "./rule.ts";

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
