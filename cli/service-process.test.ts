import { expect, test } from "@jest/globals";
import { SERVICES } from "#contract";
import { settingsOf } from "./service-process.ts";

test.each([
  [undefined, SERVICES.control.metricsPort],
  ["", SERVICES.control.metricsPort],
  ["0", 0],
  [String(SERVICES.ingest.metricsPort + 100), SERVICES.control.metricsPort + 100],
])("beside HOOKLINE_METRICS_PORT %j of ingest control has its operations on %d", (given, port) => {
  const environment = given === undefined ? {} : { HOOKLINE_METRICS_PORT: given };
  expect(settingsOf("control", environment)).toMatchObject({ HOOKLINE_METRICS_PORT: String(port) });
});
