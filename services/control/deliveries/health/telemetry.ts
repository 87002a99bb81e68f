import type { Logger, Metrics } from "#runtime";
import type { EventObserver } from "./event-sender.ts";

const STATES = ["untested", "failing", "recovering"] as const;

/** `counts`: by state, of the destinations that are sent calls. */
export function watchHealth(metrics: Metrics, counts: ReadonlyMap<string, number>): void {
  metrics.gauge({
    name: "control_tried_destinations",
    help: "Destinations that are sent calls.",
    collect(gauge) {
      let sum = 0;
      for (const count of counts.values()) sum += count;
      gauge.set({}, sum);
    },
  });
  metrics.gauge({
    name: "control_unwell_destinations",
    help: "Destinations that are sent calls and not healthy, nor switched off or paused.",
    labels: { state: STATES },
    collect(gauge) {
      for (const state of STATES) gauge.set({ state }, counts.get(state) ?? 0);
    },
  });
}

export function createEventObserver(metrics: Metrics, logger: Logger): EventObserver {
  const events = metrics.counter({
    name: "control_operational_events_total",
    help: "Requests to the operator's webhook, and expired events.",
    labels: { outcome: ["delivered", "failed", "expired"] },
  });
  return {
    delivered: () => events.inc({ outcome: "delivered" }),
    failed({ id, type }, why) {
      events.inc({ outcome: "failed" });
      logger.warn(
        { eventId: id, type, why },
        "the operator's webhook did not take an event; it is sent again",
      );
    },
    expired({ id, type, destinationId }) {
      events.inc({ outcome: "expired" });
      logger.error({ eventId: id, type, destinationId }, "the operator's webhook never took an event");
    },
  };
}
