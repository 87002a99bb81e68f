import { describe, expect, test } from "@jest/globals";
import { EPOCH_MS } from "#testing/host";
import type { DeliveryJob } from "#topics";
import type { DestinationPlan, FilterPlan, Plan } from "../plan/plan.ts";
import { audienceStory } from "./fixtures/audience-story.ts";
import { DESTINATION, writtenAt } from "./fixtures/empty-story.ts";
import { dueTimesFollowSchedules, onlyWhatIsTakenIsSent } from "./jobs.ts";
import type { Story, Written } from "./story.ts";

const CALL = { messageId: "m1", userId: "u1", type: "track", atMs: 4_000, againAfterMs: undefined } as const;
const FAILED_AT_MS = EPOCH_MS + 10_000;

function job(topic: string, more: Partial<DeliveryJob> = {}): Written<DeliveryJob> {
  const value = {
    ...{ jobId: "j1", messageId: "m1", userId: "u1", destinationId: "destination", attempts: 0, diverts: 0 },
    ...{ dueAtMs: 0, replayId: null, pausedSinceMs: null, failedAtMs: null, outcomes: [] },
    ...more,
  };
  return writtenAt<DeliveryJob>(topic, 10_000, value, { process: "deliverer-1" });
}

function story(jobs: Story["jobs"], of: Partial<DestinationPlan> = {}, plan: Partial<Plan> = {}): Story {
  const usual = audienceStory();
  const timing = { ...usual.plan.timing, retryDelaysMs: [1_000, 20_000] };
  const destinations = [{ ...DESTINATION, ...of }];
  return { ...usual, jobs, plan: { ...usual.plan, timing, destinations, calls: [CALL], ...plan } };
}

describe("a destination gets only what it takes", () => {
  const isBroken = (of: Partial<DestinationPlan>, more: Partial<DeliveryJob> = {}): boolean =>
    onlyWhatIsTakenIsSent(story([job("delivery-jobs", more)], of)).length > 0;
  const refusing: FilterPlan = { conditions: {}, takes: () => false };

  test("by its filter and its types", () => {
    expect(isBroken({})).toBe(false);
    expect(isBroken({ filter: { ...refusing, takes: () => true } })).toBe(false);
    expect(isBroken({ filter: refusing })).toBe(true);
    expect(isBroken({ callTypes: ["identify"] })).toBe(true);
  });

  test("but what a replay sends", () => {
    expect(isBroken({ filter: refusing }, { replayId: "r1" })).toBe(false);
  });
});

describe("a retry is due by its destination's schedule", () => {
  const isBroken = (
    waitsMs: number,
    of: Partial<DestinationPlan> = {},
    more: Partial<DeliveryJob> = {},
    plan: Partial<Plan> = {},
  ): boolean => {
    const failed = { attempts: 2, failedAtMs: FAILED_AT_MS, dueAtMs: FAILED_AT_MS + waitsMs, ...more };
    return dueTimesFollowSchedules(story([job("delivery-retry-20s", failed)], of, plan)).length > 0;
  };

  test("neither later nor sooner, but for the spread", () => {
    expect(isBroken(20_000)).toBe(false);
    expect(isBroken(22_000)).toBe(false);
    expect(isBroken(23_000)).toBe(true);
    expect(isBroken(19_000)).toBe(true);
  });

  test("but for a call of which one webhook waits for its turn", () => {
    const diverted = { kind: "retryable", reason: "diverted" } as DeliveryJob["outcomes"][number];
    expect(isBroken(23_000, {}, { outcomes: [diverted] })).toBe(false);
    expect(isBroken(19_000, {}, { outcomes: [diverted] })).toBe(true);
  });

  test("also where it was asked before, and keeps what came of that", () => {
    const isBrokenBy = (asked: { readonly url: string; readonly atMs: number }, attempts = 1): boolean => {
      const outcome = { url: "a", atMs: 10, kind: "retryable" } as DeliveryJob["outcomes"][number];
      const before = job("delivery-retry-1s", { attempts, outcomes: [{ ...outcome, ...asked }] });
      const dueAtMs = FAILED_AT_MS + 23_000;
      const failed = { attempts: 2, failedAtMs: FAILED_AT_MS, dueAtMs, outcomes: [outcome] };
      return dueTimesFollowSchedules(story([before, job("delivery-retry-20s", failed)])).length > 0;
    };
    expect(isBrokenBy({ url: "a", atMs: 10 })).toBe(false);
    expect(isBrokenBy({ url: "a", atMs: 5 })).toBe(true);
    expect(isBrokenBy({ url: "b", atMs: 10 })).toBe(true);
    expect(isBrokenBy({ url: "a", atMs: 10 }, 2)).toBe(true);
  });

  test("of its own, where it has one", () => {
    const own = { retryDelaysMs: [2_000, 7_000] };
    expect(isBroken(7_000, own)).toBe(false);
    expect(isBroken(20_000, own)).toBe(true);
    expect(isBroken(2_000, own, { attempts: 1 })).toBe(false);
  });

  test("sooner where a window is short, or a clock may be wrong", () => {
    expect(isBroken(19_000, { retryWindowMs: 30_000 })).toBe(false);
    const processes = [{ name: "deliverer-1", service: "deliverer", startMs: 0, skewMs: 5 }] as const;
    expect(isBroken(19_000, {}, {}, { processes })).toBe(false);
  });

  test("what was not asked, or is paused, follows none", () => {
    expect(isBroken(60_000, {}, { failedAtMs: null })).toBe(false);
    expect(isBroken(60_000, {}, { pausedSinceMs: 1 })).toBe(false);
  });
});
