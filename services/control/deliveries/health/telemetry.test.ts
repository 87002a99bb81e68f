import { expect, test } from "@jest/globals";
import { createMetrics } from "#runtime";
import { recordedLog } from "#support/recorded-log";
import { createEventObserver, watchHealth } from "./telemetry.ts";

test("destinations that have taken nothing yet are counted apart from those that take nothing any more", async () => {
  const metrics = createMetrics({ service: "control", version: "0" });
  watchHealth(
    metrics,
    new Map([
      ["untested", 2],
      ["failing", 1],
      ["healthy", 4],
    ]),
  );
  const text = await metrics.expose();
  for (const [state, count] of Object.entries({ untested: 2, failing: 1, recovering: 0 }))
    expect(text).toContain(`hookline_control_unwell_destinations{state="${state}"} ${count}`);
  expect(text).toContain("hookline_control_tried_destinations 7");
});

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
