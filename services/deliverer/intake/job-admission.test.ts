import { expect, test } from "@jest/globals";
import type { Received } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { DestinationState } from "../destinations.ts";
import { job } from "../fixtures/jobs.ts";
import { createJobAdmission } from "./job-admission.ts";

function setup() {
  const clock = { nowMs: 10_000 };
  const queues = { hasEnough: false, isFullOfRetries: false, isBusy: false };
  const taken = new Set<string>();
  const destinations = { awaitingJobs: 0, kind: "active" as DestinationState["kind"] };
  const admission = createJobAdmission({
    queues,
    destinations: {
      get awaitingJobs() {
        return destinations.awaitingJobs;
      },
      isAwaited: (id) => id === "awaited",
      state: () => ({ kind: destinations.kind }) as DestinationState,
    },
    maxAwaiting: 5,
    waking: { isTaken: ({ decoded }) => taken.has(decoded.jobId) },
    delaysMs: new Map([["retry", 60_000]]),
    nowMs: () => clock.nowMs,
  });
  return { clock, destinations, queues, taken, admission };
}

function record(
  partition: number,
  visibleAtMs: number,
  topic = "retry",
  destinationId = "d1",
): Received<DeliveryJob> {
  const decoded = job({ jobId: `${topic}-${partition}`, visibleAtMs, destinationId });
  return { topic, partition, offset: 0, key: null, value: null, timestampMs: 0, decoded };
}

/** A runner that has these partitions, each read up to the same offset. */
function reading(partitions: readonly number[], position?: number) {
  return {
    assigned: partitions.map((partition) => ({ topic: "retry", partition })),
    position: () => position,
  };
}

test("a waiting job's turn comes when its topic's delay is over, a new job's at once", () => {
  const { admission } = setup();
  expect([admission.dueAtMs(record(0, 12_000)), admission.dueAtMs(record(0, 0, "jobs"))]).toEqual([
    12_000, 0,
  ]);
});

test("a job that was written while the clock was set ahead does not hold its topic up for that long", () => {
  const { clock, admission } = setup();
  expect(admission.dueAtMs(record(0, 10_000 + 60_000 + 5_000))).toBe(75_000);
  expect(admission.dueAtMs(record(0, 86_400_000))).toBe(clock.nowMs);
});

test("due retries stay in their topics while retries hold their share; new jobs do not", () => {
  const { queues, admission } = setup();
  queues.isFullOfRetries = true;
  expect(admission.dueAtMs(record(0, 9_000))).toBeGreaterThan(10_000);
  expect(admission.dueAtMs(record(0, 0, "jobs"))).toBe(0);
});

test("while the process is busy, waiting jobs get a quarter of what new ones get, and some in any case", () => {
  const { clock, queues, admission } = setup();
  const due = (count: number) =>
    Array.from({ length: count }, () => admission.dueAtMs(record(0, 9_000))).filter((at) => at <= clock.nowMs)
      .length;
  const pastAWindow = () => (clock.nowMs += 150);
  expect(due(1_000)).toBe(1_000);
  pastAWindow();
  queues.isBusy = true;
  const alone = due(1_000);
  expect(alone).toBeGreaterThan(10);
  expect(alone).toBeLessThan(100);
  pastAWindow();
  for (let count = 0; count < 2_000; count += 1) admission.dueAtMs(record(0, 0, "jobs"));
  expect(due(1_000)).toBe(500);
  pastAWindow();
  expect(due(1_000)).toBe(alone);
});

test("every job stays in its topic while the process has enough", () => {
  const { queues, admission } = setup();
  queues.hasEnough = true;
  expect(admission.dueAtMs(record(0, 0, "jobs"))).toBeGreaterThan(10_000);
});

test("once enough jobs wait to hear of their destinations, others that would stay in their topics, and no more than these", () => {
  const { admission, destinations } = setup();
  const due = (destinationId: string) => admission.dueAtMs(record(0, 0, "jobs", destinationId));
  for (const [awaitingJobs, kind, heldBack] of [
    [4, "gone", []],
    [5, "active", ["awaited"]],
    [5, "paused", ["awaited"]],
    [5, "gone", ["awaited", "d1"]],
    [5, "disabled", ["awaited", "d1"]],
  ] as const) {
    Object.assign(destinations, { awaitingJobs, kind });
    expect(["awaited", "d1"].filter((id) => due(id) > 10_000)).toEqual(heldBack);
  }
});

test("the oldest of the heads held back is known, of the partitions that are ours", () => {
  const { clock, taken, admission } = setup();
  const ours = reading([0, 1, 2]);
  expect(admission.oldestDueAtMs(ours)).toBe(0);
  admission.dueAtMs(record(0, 14_000));
  admission.dueAtMs(record(1, 12_000));
  admission.dueAtMs(record(9, 11_000));
  expect(admission.oldestDueAtMs(ours)).toBe(12_000);
  clock.nowMs = 13_000;
  expect(admission.dueAtMs(record(1, 12_000))).toBe(12_000);
  expect(admission.oldestDueAtMs(ours)).toBe(14_000);
  taken.add("retry-0");
  expect(admission.dueAtMs(record(0, 14_000))).toBe(0);
  expect(admission.oldestDueAtMs(ours)).toBe(0);
});

test("the head of a partition that was lost is not known any more: another process may have taken it", () => {
  const { admission } = setup();
  admission.dueAtMs(record(0, 12_000));
  admission.dueAtMs(record(1, 14_000));
  admission.revoked(reading([0]).assigned);
  expect(admission.oldestDueAtMs(reading([0, 1]))).toBe(14_000);
});

test("a head that a pass has delivered does not wait any more: the runner went past it without a question", () => {
  const { admission } = setup();
  admission.dueAtMs(record(0, 12_000));
  expect(admission.oldestDueAtMs(reading([0], 0))).toBe(12_000);
  expect(admission.oldestDueAtMs(reading([0], 1))).toBe(0);
});
