import { expect, test } from "@jest/globals";
import { createMetrics } from "#runtime";
import { recordedLog } from "#support/recorded-log";
import { createEventObserver } from "./telemetry.ts";

test("an event that was given up is counted, and an error's line names it", async () => {
  const { logger, lines } = recordedLog();
  const metrics = createMetrics({ service: "control", version: "0" });
  const observer = createEventObserver(metrics, logger);
  const event = { id: "evt_1", type: "destination.failing", destinationId: "d1", atMs: 0, body: Buffer.of() };
  observer.expired(event);
  observer.failed(event, "refused");
  const text = await metrics.expose();
  for (const [outcome, count] of Object.entries({ delivered: 0, failed: 1, expired: 1 }))
    expect(text).toContain(`hookline_control_operational_events_total{outcome="${outcome}"} ${count}`);
  const { id: eventId, type, destinationId } = event;
  expect(lines).toMatchObject([
    {
      level: "error",
      facts: { eventId, type, destinationId },
      message: expect.stringContaining("never took"),
    },
    { level: "warn", facts: { eventId, type, why: "refused" } },
  ]);
});
