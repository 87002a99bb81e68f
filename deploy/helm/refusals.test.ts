import { beforeAll, expect, jest, test } from "@jest/globals";
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

// The first three are policies that would let nobody reach what is configured.
test.each([
  ["kafka.brokers={kafka.example.com:9092}", "networkPolicy.kafkaPeers have to say"],
  ["registry.url=https://registry.example.com/", "networkPolicy.registryPeers have to say"],
  [
    "ingest.settings.HOOKLINE_TRACES_URL=http://collector:4318/v1/traces",
    "networkPolicy.tracesPorts have to",
  ],
  ["control.console.enabled=maybe", "console"],
  ["nonsense=1", "nonsense"],
])("the chart refuses %s", async (value, reason) => {
  const values = valuesOf("minimal.yaml");
  const rendering = helm("template", "hookline", CHART, "--values", values, "--set", value);
  await expect(rendering).rejects.toThrow(reason);
});
