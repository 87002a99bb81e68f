import { expect, test } from "@jest/globals";
import { startService } from "#runtime";
import { audienceProcessor } from "./service.ts";

/** Nobody listens there. */
const NOWHERE = "127.0.0.1:1";

test("where audiences are off, the processor is ready and asks neither Kafka nor the registry", async () => {
  const service = startService(audienceProcessor, {
    environment: {
      HOOKLINE_AUDIENCES: "off",
      HOOKLINE_KAFKA_BROKERS: NOWHERE,
      HOOKLINE_SCHEMA_REGISTRY_URL: `http://${NOWHERE}`,
      HOOKLINE_METRICS_PORT: "0",
    },
    logTo: { write: () => undefined },
  });
  const { metricsPort } = await service.ready;
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toMatch(/^hookline_ready\{service="audience-processor"\} 1$/m);
  expect(await service.stop()).toBe(0);
});
