import { describe, expect, test } from "@jest/globals";
import { MAX_WINDOW_MS } from "#contract";
import { allTopics, leftoverRetryTopics, topicMap } from "./index.ts";

test("what is left of a call to be delivered is kept as long as the call itself", () => {
  const map = topicMap({ prefix: "", retryDelaysMs: [250, 10_000, 7_200_000] });
  const keptMs = ({ cleanup }: (typeof map)["calls"] | (typeof map)["deliveryJobs"]): number =>
    cleanup.policy === "delete" ? cleanup.retentionMs : Number.POSITIVE_INFINITY;
  const jobTopics = allTopics(map).filter(({ record }) => record === "delivery-job");
  expect(jobTopics.map(({ name }) => name)).toEqual([
    "delivery-jobs",
    "delivery-retry-250ms",
    "delivery-retry-10s",
    "delivery-retry-2h",
  ]);
  for (const { cleanup } of jobTopics)
    expect(cleanup).toMatchObject({ policy: "delete", retentionMs: expect.any(Number) });
  for (const topic of [map.deliveryJobs, ...map.deliveryRetries])
    expect(keptMs(topic)).toBeGreaterThanOrEqual(keptMs(map.calls));
});

describe("retry topics", () => {
  test("of delays that are configured no more are found by their names, with their delays", () => {
    const names = [
      "x-delivery-retry-10s",
      "x-delivery-retry-2h",
      "x-delivery-retry-90s",
      "x-delivery-retry-250ms",
      "x-delivery-retry-",
      "x-delivery-retry-soon",
      "y-delivery-retry-5m",
      "delivery-retry-5m",
      "x-calls",
    ];
    const found = leftoverRetryTopics({ prefix: "x-", retryDelaysMs: [10_000, 60_000] }, names);
    expect(found.map(({ name, delayMs }) => [name, delayMs])).toEqual([
      ["x-delivery-retry-250ms", 250],
      ["x-delivery-retry-90s", 90_000],
      ["x-delivery-retry-2h", 7_200_000],
    ]);
  });

  test("are refused for a delay that their records would not outlive, by the setting's name", () => {
    const day = 24 * 3_600_000;
    expect(() => topicMap({ prefix: "", retryDelaysMs: [10_000, 30 * day] })).toThrow(
      /^HOOKLINE_RETRY_DELAYS: a retry delay of 720h must be shorter than/,
    );
    expect(topicMap({ prefix: "", retryDelaysMs: [day - 1_000] }).deliveryRetries).toHaveLength(1);
  });
});

test("jobs are kept for longer than the longest window that a destination may ask for, and its pauses between", () => {
  const map = topicMap({ prefix: "", retryDelaysMs: [10_000] });
  for (const { cleanup } of [map.deliveryJobs, ...map.deliveryRetries])
    expect(cleanup.policy === "delete" && cleanup.retentionMs >= 2 * MAX_WINDOW_MS).toBe(true);
});

test("calls of profiles are kept for 90 days, or as long as the deployment says", () => {
  const options = { prefix: "x-", retryDelaysMs: [1_000] };
  const day = 24 * 3_600_000;
  expect(topicMap(options).profileEvents.cleanup).toEqual({ policy: "delete", retentionMs: 90 * day });
  expect(topicMap({ ...options, profileEventsKeptMs: day }).profileEvents).toMatchObject({
    name: "x-profile-events",
    cleanup: { policy: "delete", retentionMs: day },
  });
});
