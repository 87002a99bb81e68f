// The dashboards under Prometheus' own parser, and against the page of metrics.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { debianProgram } from "#support/debian";
import { scratchFolder } from "#support/scratch-folder";
import { dashboards } from "./all.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Of Node's client for Prometheus, beside our own. */
const OF_THE_PROCESS = ["process_resident_memory_bytes"];

const panels = dashboards.flatMap(({ title, rows }) =>
  rows.flatMap((row) => row.panels.map((panel) => ({ where: `${title}: ${panel.title}`, panel }))),
);
const queries = panels.flatMap(({ where, panel }) => panel.queries.map(({ expr }) => ({ where, expr })));

/** As Grafana sends it. */
function filledIn(expr: string): string {
  return expr.replaceAll("$__rate_interval", "5m").replaceAll("$job", ".*hookline.*");
}

describe("dashboards", () => {
  test("have a file each, and no other is there", () => {
    const files = readdirSync(join(import.meta.dirname, "dashboards"));
    expect(files.toSorted()).toEqual(dashboards.map(({ uid }) => `${uid}.json`).toSorted());
  });

  test("say of each panel what it shows, in which unit, once in a dashboard", () => {
    for (const { where, panel } of panels)
      expect([where, panel.description.length > 20]).toEqual([where, true]);
    expect(new Set(panels.map(({ where }) => where)).size).toBe(panels.length);
    for (const { rows } of dashboards)
      for (const row of rows) expect(row.panels.length).toBeLessThanOrEqual(4);
  });

  test("ask what Prometheus can parse", async () => {
    const folder = scratchFolder();
    const file = join(folder, "rules.json");
    // A recording rule each: promtool parses these, and names the one that it cannot.
    const rules = queries.map(({ expr }, index) => ({ record: `query:${index}`, expr: filledIn(expr) }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboards", rules }] }));
    const promtool = await debianProgram("promtool", "prometheus");
    const { status, stdout, stderr } = spawnSync(promtool, ["check", "rules", file], { encoding: "utf8" });
    expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`${queries.length} rules found`);
  }, 300_000);

  test("name metrics and labels that the page of metrics has", () => {
    const lines = readFileSync(join(ROOT, "docs/operate/metrics.md"), "utf8").split("\n");
    const labelsOf = new Map<string, Set<string>>();
    for (const line of lines) {
      const [, metric, labels = ""] = /^\| `(\w+)`(?: \(histogram\))? \|(.*)\|$/.exec(line) ?? [];
      if (metric === undefined) continue;
      const names = [...labels.matchAll(/`(\w+)`[:.]/g)].map(([, label = ""]) => label);
      labelsOf.set(metric, new Set([...(labelsOf.get(metric) ?? []), ...names, "job", "instance", "le"]));
    }
    expect(labelsOf.size).toBeGreaterThan(60);
    for (const { where, expr } of queries) {
      const [, metric = ""] = /\b((?:hookline|process)_\w+?)(?:_bucket)?\{/.exec(expr) ?? [];
      if (OF_THE_PROCESS.includes(metric)) continue;
      const known = labelsOf.get(metric);
      expect([where, metric, known !== undefined]).toEqual([where, metric, true]);
      const by = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(", ") ?? [];
      const matched = [...expr.matchAll(/[{,](\w+)[=!]~?"/g)].map(([, label = ""]) => label);
      expect([where, [...by, ...matched].filter((label) => known?.has(label) !== true)]).toEqual([where, []]);
    }
  });

  test("add up nothing that each process exports for all together", () => {
    const page = readFileSync(join(ROOT, "docs/operate/metrics.md"), "utf8");
    const shared = [...page.matchAll(/^\| `(\w+)` \|.*of all processes together/gm)].map(([, name]) => name);
    expect(shared).toContain("hookline_delivery_waiting_calls");
    expect(queries.filter(({ expr }) => shared.some((name) => expr.match(`^sum.*\\b${name}{`)))).toEqual([]);
  });

  test("take the job and the interval from Grafana, never from themselves", () => {
    for (const { where, expr } of queries) {
      expect([where, expr.includes('job=~"$job"')]).toEqual([where, true]);
      expect([where, /rate\(/.test(expr) === expr.includes("[$__rate_interval]")]).toEqual([where, true]);
    }
  });
});
