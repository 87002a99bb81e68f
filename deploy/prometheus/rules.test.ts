// The alerts under Prometheus' own promtool: each fires with one set of series and is quiet with another.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { debianProgram } from "#support/debian";
import { scratchFolder } from "#support/scratch-folder";
import { dashboards } from "../grafana/all.ts";
import type { Case, Series } from "./fixtures/case.ts";
import { CASES } from "./fixtures/cases.ts";
import { alertRules, ruleGroups } from "./rules.ts";

const RULES = join(import.meta.dirname, "hookline.rules.yaml");
const ROOT = join(import.meta.dirname, "../..");

let promtool: string;
let folder: string;

beforeAll(async () => {
  promtool = await debianProgram("promtool", "prometheus");
  folder = scratchFolder();
}, 300_000);

function run(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: "utf8" });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** A test of promtool in which so many alerts of the case fire. */
function testOf(
  { alert, atMinute, labels: told = "", severity, stepMinutes }: Case,
  series: readonly Series[],
  count: 0 | 1,
) {
  const labels = `alertname="${alert}",severity="${severity}"`;
  return {
    interval: `${stepMinutes}m`,
    name: `${alert} (${severity}, minute ${atMinute})`,
    input_series: series.map(([metric, values]) => ({ series: metric, values })),
    promql_expr_test: [
      {
        expr: `count by (alertname, severity) (ALERTS{${labels},${told && `${told},`}alertstate="firing"})`,
        eval_time: `${atMinute}m`,
        exp_samples: count === 0 ? [] : [{ labels: `{${labels}}`, value: count }],
      },
    ],
  };
}

const groupOf = (alert: string) =>
  ruleGroups.find(({ rules }) => rules.some((rule) => "alert" in rule && rule.alert === alert));

/** What promtool has against the cases. Rules are evaluated as often as there are samples, each group by itself: it takes a tenth of the time. */
function problems(series: "firing" | "quiet", count: 0 | 1): string {
  const rules = join(folder, "rules.yaml");
  const tests = join(folder, "tests.yaml");
  const runs = Map.groupBy(CASES, ({ alert, stepMinutes }) => `${groupOf(alert)?.name} ${stepMinutes}`);
  return [...runs.values()]
    .map((cases) => {
      const { alert, stepMinutes } = cases[0] as Case;
      // JSON is YAML.
      writeFileSync(rules, JSON.stringify({ groups: [groupOf(alert)] }));
      const evaluation = { rule_files: [rules], evaluation_interval: `${stepMinutes}m` };
      const all = cases.map((each) => testOf(each, each[series], count));
      writeFileSync(tests, JSON.stringify({ ...evaluation, tests: all }));
      return run("test", "rules", tests);
    })
    .join("");
}

describe("alerts", () => {
  test("are rules that Prometheus takes", () => {
    expect(run("check", "rules", RULES)).toBe("");
  });

  test("each fires with the series of its case", () => {
    expect(problems("firing", 1)).toBe("");
  }, 180_000);

  test("each is quiet with those that look like it and are not", () => {
    expect(problems("quiet", 0)).toBe("");
  }, 180_000);

  test("each has a case, but the one that always fires", () => {
    const named = ({ alert, severity }: { alert: string; severity: string }) => `${alert} ${severity}`;
    const rules = alertRules.map(({ alert, labels }) => named({ alert, ...labels }));
    const cases = new Set(CASES.map(named));
    expect(rules.filter((rule) => !cases.has(rule))).toEqual(["HooklineWatchdog none"]);
  });
});

describe("the links of an alert", () => {
  test("are an absolute one to its section, and one to a dashboard that there is", () => {
    const uids = dashboards.map(({ uid }) => `/d/${uid}`);
    for (const { alert, annotations } of alertRules) {
      const { hash, pathname, protocol } = new URL(annotations.runbook_url);
      expect([protocol, pathname.endsWith("/docs/operate/operations.md"), hash]).toEqual([
        "https:",
        true,
        `#${alert.toLowerCase()}`,
      ]);
      const [url = "", path] = annotations.dashboard_url.split("}}");
      expect([url, uids.includes(path ?? "")]).toEqual(["{{ $externalLabels.grafana_url ", true]);
    }
  });
});

describe("what rules name", () => {
  const metrics = new Set(
    [...readFileSync(join(ROOT, "docs/operate/metrics.md"), "utf8").matchAll(/`(hookline_[a-z_]+)`/g)].map(
      ([, metric = ""]) => metric,
    ),
  );

  test("is on the page of metrics", () => {
    const text = readFileSync(RULES, "utf8");
    const named = new Set([...text.matchAll(/\bhookline_[a-z_]+/g)].map(([metric]) => metric));
    const unknown = [...named].filter((metric) => !metrics.has(metric.replace(/_(bucket|count|sum)$/, "")));
    expect(named.size).toBeGreaterThan(15);
    expect(unknown.filter((metric) => !metrics.has(metric))).toEqual([]);
  });

  test("has a section in the runbook, and no section is left of a rule that is gone", () => {
    const page = readFileSync(join(ROOT, "docs/operate/operations.md"), "utf8");
    const sections = [...page.matchAll(/^### (Hookline\w+)$/gm)].map(([, section]) => section);
    expect(sections.toSorted()).toEqual([...new Set(alertRules.map(({ alert }) => alert))].toSorted());
    // Commands of Kafka can be pasted as they are.
    const commands = [...page.matchAll(/`kafka-[^`]*`/g)].map(([command]) => command);
    const whole = /^`kafka-\S+\.sh --bootstrap-server "\$HOOKLINE_KAFKA_BROKERS" [^…]*`$/;
    expect(commands.filter((command) => !whole.test(command))).toEqual([]);
  });
});
