import { describe, expect, test } from "@jest/globals";
import { leftoverRetryTopics, topicMap } from "./index.ts";

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
