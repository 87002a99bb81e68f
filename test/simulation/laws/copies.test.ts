import { expect, test } from "@jest/globals";
import { EPOCH_MS } from "#testing/host";
import type { Call, DeliveryJob } from "#topics";
import { drawPlan } from "../plan/draw.ts";
import { cleanStopsDoubleNothing } from "./clean-stops.ts";
import { copiesAreNotRouted } from "./copies.ts";
import { DESTINATION, EMPTY_STORY, request, written, writtenAt } from "./fixtures/empty-story.ts";
import type { Story } from "./story.ts";
import { jobsWaitInTheirTopic } from "./waiting.ts";

const IDENTITY = { messageId: "m1", userId: "u1", anonymousId: null };

const call = (offset: number, receivedAtMs: number) =>
  written({ ...IDENTITY, receivedAtMs } as Call, "calls", offset);
const job = (topic: string, more: Partial<DeliveryJob>) => {
  const value = { ...IDENTITY, jobId: "j", destinationId: DESTINATION.id, replayId: null, ...more };
  return writtenAt<DeliveryJob>(topic, 1_000, value, { process: "deliverer-1" });
};

function story(more: Partial<Story>): Story {
  return { ...EMPTY_STORY, plan: { ...drawPlan(1), destinations: [DESTINATION], faults: [] }, ...more };
}

test("the job of a call's later copy is a finding, that of the first is none", () => {
  const calls = [call(0, 10), call(1, 20)];
  const found = (receivedAtMs: number) =>
    copiesAreNotRouted(story({ calls, jobs: [job("delivery-jobs", { receivedAtMs })] }));
  expect(found(10)).toEqual([]);
  expect(found(20)).toHaveLength(1);
});

test("a copy is none whose first came where a log was cut, and was routed by another router", () => {
  const cut = {
    kind: "cut" as const,
    atMs: 0,
    partition: { topic: "calls", partition: 0 },
    fromOffset: 0,
    toOffset: 1,
  };
  const calls = [call(0, 10), call(1, 20)].map((each) => ({ ...each, place: 5 }));
  const found = (routedBy: string) => {
    const jobs = [10, 20].map((receivedAtMs) => job("delivery-jobs", { receivedAtMs }));
    return copiesAreNotRouted(
      story({ calls, jobs: [{ ...jobs[0], process: routedBy }, jobs[1]] as typeof jobs, happenings: [cut] }),
    );
  };
  expect(found("router-2")).toEqual([]);
  expect(found("deliverer-1")).toHaveLength(1);
});

test("a job that waits for longer than its topic's delay is a finding", () => {
  const [delayMs = 0] = drawPlan(1).timing.retryDelaysMs;
  const topic = `delivery-retry-${delayMs / 1_000}s`;
  const found = (waitsMs: number) =>
    jobsWaitInTheirTopic(story({ jobs: [job(topic, { visibleAtMs: EPOCH_MS + 1_000 + waitsMs })] }));
  expect(found(delayMs)).toEqual([]);
  expect(found(delayMs + 3_000)).toHaveLength(1);
});

test("what was answered before a clean stop and is sent again is a finding, unless something else went wrong", () => {
  const disturbed = (by: string, atMs: number) =>
    ({ kind: "disturbed", atMs, process: "deliverer-1", by }) as const;
  const requests = [request(1_100), request(2_000, { process: "deliverer-2" })];
  const found = (...happenings: Story["happenings"]) =>
    cleanStopsDoubleNothing(story({ happenings, requests, jobs: [job("delivery-jobs", {})] }));
  expect(found(disturbed("stop", 1_200), disturbed("rebalance", 1_300))).toHaveLength(1);
  expect(found(disturbed("stop", 1_200), disturbed("kill", 1_300))).toEqual([]);
  expect(found(disturbed("rebalance", 1_050), disturbed("stop", 1_200))).toEqual([]);
});
