import { describe, expect, test } from "@jest/globals";
import { BROKERS, type ChaosEvent, mostProcesses } from "./events.ts";
import { SESSION_TIMEOUT_MS } from "./report.ts";
import { expectedMs, type Phase, planSchedule } from "./schedule.ts";

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);

function eventsOf(phases: readonly Phase[]): ChaosEvent[] {
  return phases.flatMap(({ tracks }) => tracks.flat().map(({ event }) => event));
}

describe("the schedule", () => {
  test("is the same for the same seed and another for another", () => {
    const plan = (seed: number) => JSON.stringify(planSchedule({ seed, durationMs: 300_000 }));
    expect(plan(7)).toBe(plan(7));
    expect(new Set(SEEDS.map(plan)).size).toBe(SEEDS.length);
  });

  test.each([true, false])("has every kind of event in its first round (hurried: %s)", (isHurried) => {
    for (const seed of SEEDS) {
      const kinds = eventsOf(planSchedule({ seed, durationMs: 0, isHurried })).map((event) => {
        if (event.kind === "cut" || event.kind === "broker") return `${event.kind} ${event.how}`;
        return "target" in event ? `${event.kind} ${event.target.service}` : event.kind;
      });
      expect([...new Set(kinds)].sort()).toEqual(
        [
          ...["kill ingest", "kill webhook-router", "kill deliverer", "kill control"],
          ...["stop ingest", "stop webhook-router", "stop deliverer"],
          ...["freeze webhook-router", "freeze deliverer", "cut silent", "cut reset"],
          ...["broker stop", "broker kill", "leaders", "registry deliverer", "scale"],
        ].sort(),
      );
    }
  });

  test("takes about a minute for a hurried round", () => {
    for (const seed of SEEDS) {
      const round = planSchedule({ seed, durationMs: 0, isHurried: true });
      expect(expectedMs(round)).toBeLessThan(65_000);
    }
  });

  test("takes as long as was asked for and not a round more", () => {
    for (const durationMs of [0, 200_000, 1_000_000]) {
      const phases = planSchedule({ seed: 1, durationMs });
      expect(expectedMs(phases)).toBeGreaterThanOrEqual(durationMs);
      expect(expectedMs(phases.slice(0, -4))).toBeLessThan(Math.max(1, durationMs));
    }
  });

  test("names only processes and brokers that there are, and never two things at a time for one of them", () => {
    for (const seed of SEEDS) {
      for (const { tracks } of planSchedule({ seed, durationMs: 0, isHurried: true })) {
        const targets = tracks.map((track) =>
          track.flatMap(({ event }) => ("target" in event ? [event.target] : [])),
        );
        for (const { service, index } of targets.flat()) expect(index).toBeLessThan(mostProcesses(service));
        const namesOfTracks = targets.map((list) => [
          ...new Set(list.map((target) => JSON.stringify(target))),
        ]);
        const names = namesOfTracks.flat();
        expect(names).toEqual([...new Set(names)]);
        for (const { event } of tracks.flat()) {
          if ("broker" in event) expect(event.broker).toBeLessThan(BROKERS);
        }
      }
    }
  });

  test("freezes and cuts longer than a session lasts", () => {
    const rounds = [true, false].flatMap((isHurried) =>
      SEEDS.flatMap((seed) => planSchedule({ seed, durationMs: 0, isHurried })),
    );
    for (const event of eventsOf(rounds)) {
      if (event.kind === "freeze" || event.kind === "cut") {
        expect(event.forMs).toBeGreaterThan(SESSION_TIMEOUT_MS);
      }
    }
  });

  test("begins with one deliverer, goes to three and back to one, and then kills the only one while an endpoint comes back", () => {
    const events = eventsOf(planSchedule({ seed: 3, durationMs: 0 }));
    expect(events[0]).toEqual({ kind: "scale", deliverers: 3 });
    expect(events.at(-2)).toEqual({ kind: "scale", deliverers: 1 });
    const last = events.at(-1);
    expect(last).toMatchObject({ kind: "kill", target: { service: "deliverer", index: 0 } });
    const { afterRecoveryMs } = last as { afterRecoveryMs?: number };
    expect(afterRecoveryMs).toBeGreaterThanOrEqual(2_000);
    expect(afterRecoveryMs).toBeLessThanOrEqual(5_000);
  });
});
