import { describe, expect, test } from "@jest/globals";
import { attempt } from "#support/records";
import { listed } from "../dead-letters/fixtures/listed-dead-letter.ts";
import { againRequest } from "./again.ts";
import { trace } from "./fixtures/trace.ts";

const CALL = { messageId: "m1", sourceId: "s1", userId: "u1", anonymousId: "a1" };
const ON = { enabled: true };
const delivered = trace({ attempts: [{ ...attempt({ outcome: "success" }), place: 1 }] });

describe("the request that sends a call again", () => {
  test("is a replay of the call when it was delivered, or may have been", () => {
    const request = {
      method: "POST",
      path: "/v1/replays",
      body: { destinationId: "d1", sourceId: "s1", messageId: "m1", userId: "u1", which: "all" },
    };
    expect(againRequest(delivered, CALL, ON)).toEqual(request);
    expect(againRequest(trace(), CALL, ON)).toEqual(request);
  });

  test("is one of its newest dead letter when it died", () => {
    const deadLetters = [listed({ id: "old" }), listed({ id: "new" })];
    expect(againRequest(trace({ deadLetters }), CALL, ON)).toEqual({
      method: "POST",
      path: "/v1/dead-letters/replay",
      body: { ids: ["new"] },
    });
  });

  test("is none while it is on its way, or nobody is there to take it", () => {
    const underWay = trace({ attempts: [{ ...attempt(), place: 1 }] });
    expect(againRequest(underWay, CALL, ON)).toBeNull();
    expect(againRequest(trace({ passedOver: "filter_off" }), CALL, ON)).toBeNull();
    expect(againRequest(delivered, CALL, { enabled: false })).toBeNull();
    expect(againRequest(delivered, CALL, undefined)).toBeNull();
  });
});
