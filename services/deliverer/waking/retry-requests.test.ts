import { describe, expect, test } from "@jest/globals";
import { EVERY_CALL, type RetryRequest } from "#topics";
import { job } from "../fixtures/jobs.ts";
import { RetryRequests } from "./retry-requests.ts";

const ASKED_MS = 1_000_000;
const PLACE = { topic: "retry", partition: 0, partitions: 1 };
const SPOT = { topic: "retry", partition: 0, offset: 0 };

/** The requests that are open after all of these came, each a second after the other. */
function openAfter(...asked: readonly Partial<RetryRequest>[]) {
  let nowMs = ASKED_MS;
  const requests = new RetryRequests({ topics: ["retry"], nowMs: () => nowMs });
  const usual = { destinationId: "d1", kind: "retry", ...EVERY_CALL, found: null, done: null };
  for (const [index, each] of asked.entries()) {
    nowMs = ASKED_MS + index * 1_000;
    requests.observe({ ...usual, id: `r${index}`, askedAtMs: nowMs, ...each }, true);
  }
  return requests.of("d1");
}

const idsAfter = (...asked: readonly Partial<RetryRequest>[]) =>
  openAfter(...asked).map(({ request }) => request.id);

describe("a newer request of a destination", () => {
  test.each<[string, Partial<RetryRequest>, Partial<RetryRequest>]>([
    ["for all calls, one for some", { messageIds: ["m1"], userId: "u1" }, {}],
    ["for all calls, one for all", {}, {}],
    ["for a user, one for some calls of that user", { messageIds: ["m1"], userId: "u1" }, { userId: "u1" }],
    ["for more messageIds, one for fewer", { messageIds: ["m1"] }, { messageIds: ["m2", "m1"] }],
    ["for messageIds, one for those of a user", { messageIds: ["m1"], userId: "u1" }, { messageIds: ["m1"] }],
  ])("takes the place of an older one: %s", (_, older, newer) => {
    expect(idsAfter(older, newer)).toEqual(["r1"]);
  });

  test.each<[string, Partial<RetryRequest>, Partial<RetryRequest>]>([
    ["one for all calls", {}, { messageIds: ["m1"] }],
    ["one for another user", { userId: "u1" }, { userId: "u2" }],
    ["one for a user spelt alike", { anonymousId: "u1" }, { userId: "u1" }],
    ["one for other messageIds", { messageIds: ["m1", "m2"] }, { messageIds: ["m2"] }],
    ["a deletion", { kind: "deleted" }, {}],
    // It means nothing while the destination is there, and may never be gone.
    ["a retry, when it is a deletion", {}, { kind: "deleted" }],
  ])("leaves %s open", (_, older, newer) => {
    expect(idsAfter(older, newer)).toEqual(["r0", "r1"]);
  });

  test("leaves those of others", () => {
    expect(idsAfter({}, { destinationId: "d2" })).toEqual(["r0"]);
  });

  test("leaves one that means calls which failed later, as where a clock was set back", () => {
    let nowMs = ASKED_MS;
    const requests = new RetryRequests({ topics: ["retry"], nowMs: () => nowMs });
    const request = { destinationId: "d1", kind: "retry", ...EVERY_CALL, found: null, done: null };
    requests.observe({ ...request, id: "r0", askedAtMs: ASKED_MS }, true);
    nowMs -= 60_000;
    requests.observe({ ...request, id: "r1", askedAtMs: nowMs }, true);
    expect(requests.of("d1").map(({ request: { id } }) => id)).toEqual(["r0", "r1"]);
  });
});

describe("too many open requests of a destination", () => {
  const single = (index: number) => ({ messageIds: [`m${index}`] });
  const wide = (index: number) => ({
    messageIds: Array.from({ length: 1_000 }, (_, at) => `m${index}-${at}`),
  });

  test("are one for all calls that had failed by then: none that was meant is forgotten", () => {
    for (const [one, most] of [
      [single, 100],
      [wide, 10],
    ] as const) {
      const asked = Array.from({ length: most + 1 }, (_, index) => one(index));
      expect(openAfter(...asked.slice(1))).toHaveLength(most);
      const [only, ...others] = openAfter(...asked);
      expect(others).toEqual([]);
      expect(only?.request.id).toBe(`r${most}`);
      const lastMs = ASKED_MS + most * 1_000;
      const means = [lastMs, lastMs + 1].map((failedAtMs) =>
        only?.means(job({ messageId: "m0", failedAtMs }), SPOT),
      );
      expect(means).toEqual([true, false]);
    }
  });

  test("are not those that are done, as when a process reads of the last days at its start", () => {
    const asked = Array.from({ length: 300 }, (_, index) => [
      { id: `r${index}`, ...single(index) },
      { id: `r${index}`, done: { places: [PLACE], woken: 1 } },
    ]).flat();
    const open = openAfter(...asked, { id: "last", messageIds: ["last"] });
    expect(open.filter(({ request }) => request.id === "last")).toHaveLength(1);
    expect(open.some((each) => each.means(job({ messageId: "other" }), SPOT))).toBe(false);
    expect(open.length).toBeLessThan(5);
  });
});
