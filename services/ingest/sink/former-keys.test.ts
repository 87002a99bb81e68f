import { expect, test } from "@jest/globals";
import type { FormerKeyUse } from "#topics";
import { createFormerKeys, networkOf } from "./former-keys.ts";

function notes() {
  const written: FormerKeyUse[] = [];
  let [nowMs, isAway] = [1_000, false];
  const keys = createFormerKeys({
    nowMs: () => nowMs,
    async write(use) {
      if (isAway) throw new Error("away");
      written.push(use);
    },
  });
  return {
    written,
    use: (writeKey: string) =>
      keys.used("s1", writeKey, { userAgent: "go".repeat(200), address: "192.0.2.7" }),
    at(atMs: number) {
      nowMs = atMs;
    },
    away(now: boolean) {
      isAway = now;
    },
  };
}

test("a former key is noted once in ten seconds, with who sent and from where, and another one by itself", () => {
  const { at, use, written } = notes();
  for (const atMs of [1_000, 2_000, 10_999, 11_000, 500]) {
    at(atMs);
    use("old");
  }
  use("older");
  expect(written.map(({ atMs, writeKey }) => [writeKey, atMs])).toEqual([
    ["old", 1_000],
    ["old", 11_000],
    ["old", 500],
    ["older", 500],
  ]);
  expect(written[0]).toEqual({
    ...{ sourceId: "s1", writeKey: "old", atMs: 1_000, network: "192.0.2.0/24" },
    userAgent: "go".repeat(100),
  });
});

test("what Kafka did not take is noted at the next call", async () => {
  const { away, use, written } = notes();
  away(true);
  use("old");
  await new Promise(setImmediate);
  away(false);
  use("old");
  expect(written).toHaveLength(1);
});

test.each([
  ["203.0.113.77", "203.0.113.0/24"],
  ["2001:db8:a:b::1", "2001:db8:a::/48"],
  ["2001:db8::1", "2001:db8:0::/48"],
  ["::1", "0:0:0::/48"],
  ["no address", null],
  [undefined, null],
])("of %s the network is %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
