import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, jest, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { requireGo } from "#support/installed";
import { CHART, EXAMPLES, helm, valuesOf } from "./helm.ts";

// The first run builds Helm.
jest.setTimeout(900_000);
beforeAll(requireGo);

test.each(EXAMPLES)("%s has nothing that Helm's linter minds", async (example) => {
  await helm("lint", "--strict", "--quiet", CHART, "--values", valuesOf(example));
});

test("the chart leaves the console out where the values say so, and only control is told", async () => {
  const render = (...args: readonly string[]) =>
    helm("template", "hookline", CHART, "--values", valuesOf("minimal.yaml"), ...args);
  const off = await render("--set", "control.console.enabled=false");
  expect(off.match(/name: HOOKLINE_CONSOLE\s+value: "off"/g)).toHaveLength(1);
  expect(await render()).not.toContain("HOOKLINE_CONSOLE");
});

test("a number is a setting as it is written, however large, from a file of values too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-values-"));
  const file = join(folder, "values.yaml");
  const settings = { HOOKLINE_INDEX_MAX_ROWS: 5_000_000, HOOKLINE_LOG_LEVEL: "warn" };
  writeFileSync(file, JSON.stringify({ control: { settings } }));
  const rendered = await helm("template", "h", CHART, "--values", valuesOf("minimal.yaml"), "--values", file);
  rmSync(folder, { recursive: true });
  expect(rendered).toMatch(/name: HOOKLINE_INDEX_MAX_ROWS\s+value: "5000000"/);
  expect(rendered).toMatch(/name: HOOKLINE_LOG_LEVEL\s+value: "warn"/);
});

test("names leave room for what Kubernetes adds to those of a StatefulSet's pods", async () => {
  const rendered = await helm("template", "a".repeat(53), CHART, "--values", valuesOf("minimal.yaml"));
  const names = parseAllDocuments(rendered).flatMap((document) => {
    const manifest = document.toJS() as { kind: string; metadata: { name: string } } | null;
    return manifest?.kind === "StatefulSet" ? manifest.metadata.name.length : [];
  });
  expect(names.length).toBeGreaterThan(0);
  // The label of a pod has 63 characters: a hyphen and ten of a hash among them.
  expect(Math.max(...names)).toBeLessThanOrEqual(52);
});

test("a setting that the chart gives too stands once, as settings have it, and KEDA asks by it", async () => {
  const both = ["--set", "settings.HOOKLINE_TOPIC_PREFIX=eu-", "--set", "topics.prefix=us-"];
  const rendered = await helm("template", "h", CHART, "--values", valuesOf("autoscaling.yaml"), ...both);
  expect(rendered).toMatch(/consumerGroup: eu-deliverer\s+topic: eu-delivery-jobs/);
  const given = rendered.matchAll(/name: HOOKLINE_TOPIC_PREFIX\s+value: "(.*)"/g);
  // Five services and the job.
  expect([...given].map(([, value]) => value)).toEqual(Array(6).fill("eu-"));
});

// The first four are policies that would let nobody reach what is configured.
test.each([
  ["kafka.brokers={kafka.example.com:9092}", "networkPolicy.kafkaPeers have to say"],
  ["kafka.brokers={[fd00::1]:9092}", "networkPolicy.kafkaPeers have to say"],
  ["registry.url=https://registry.example.com/", "networkPolicy.registryPeers have to say"],
  [
    "ingest.settings.HOOKLINE_TRACES_URL=http://collector:4318/v1/traces",
    "networkPolicy.tracesPorts have to",
  ],
  ["control.console.enabled=maybe", "console"],
  ["nonsense=1", "nonsense"],
  ["deliverer.keda.minReplicas=0", "minReplicas"],
  ["settings.HOOKLINE_METRICS_PORT=9000", "HOOKLINE_METRICS_PORT"],
  ["control.settings.HOOKLINE_SHUTDOWN_GRACE=9s", "HOOKLINE_SHUTDOWN_GRACE"],
])("the chart refuses %s", async (value, reason) => {
  const values = valuesOf("minimal.yaml");
  const rendering = helm("template", "hookline", CHART, "--values", values, "--set", value);
  await expect(rendering).rejects.toThrow(reason);
});
