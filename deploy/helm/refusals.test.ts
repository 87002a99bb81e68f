import { beforeAll, expect, jest, test } from "@jest/globals";
import { requireGo } from "#support/installed";
import { CHART, EXAMPLES, helm, valuesOf } from "./helm.ts";

// The first run builds Helm.
jest.setTimeout(900_000);
beforeAll(requireGo);

test.each(EXAMPLES)("%s has nothing that Helm's linter minds", async (example) => {
  await helm("lint", "--strict", "--quiet", CHART, "--values", valuesOf(example));
});

// The first three are policies that would let nobody reach what is configured.
test.each([
  ["kafka.brokers={kafka.example.com:9092}", "networkPolicy.kafkaPeers have to say"],
  ["registry.url=https://registry.example.com/", "networkPolicy.registryPeers have to say"],
  [
    "ingest.settings.HOOKLINE_TRACES_URL=http://collector:4318/v1/traces",
    "networkPolicy.tracesPorts have to",
  ],
  ["nonsense=1", "nonsense"],
])("the chart refuses %s", async (value, reason) => {
  const values = valuesOf("minimal.yaml");
  const rendering = helm("template", "hookline", CHART, "--values", values, "--set", value);
  await expect(rendering).rejects.toThrow(reason);
});
