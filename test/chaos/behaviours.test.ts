import { describe, expect, test } from "@jest/globals";
import { type Answer, behaviourOf, untilRecoveryMs } from "./behaviours.ts";

const { answer } = behaviourOf("recovering");

function answers(elapsedMs: number, times: number): Set<Answer["kind"]> {
  return new Set(Array.from({ length: 50 }, (_, call) => answer({ call, times, elapsedMs }).kind));
}

describe("the endpoint that recovers", () => {
  test.each([0, 5_000, 21_999, 22_000, 30_000, 37_999, 38_000, 100_000])(
    "after %s ms: fails until it recovers; then takes what is new and half of what comes again",
    (elapsedMs) => {
      const recoveryMs = elapsedMs + untilRecoveryMs(elapsedMs);
      expect(answers(recoveryMs - 1, 1)).toEqual(new Set(["refuse"]));
      expect(answers(recoveryMs, 1)).toEqual(new Set(["take"]));
      expect(answers(recoveryMs + 4_999, 2)).toEqual(new Set(["take", "hang"]));
      expect(answers(recoveryMs + 5_000, 2)).toEqual(new Set(["take"]));
    },
  );

  test("is awaited for a period at most", () => {
    for (let elapsedMs = 0; elapsedMs < 100_000; elapsedMs += 250) {
      expect(untilRecoveryMs(elapsedMs)).toBeLessThanOrEqual(22_000);
      expect(untilRecoveryMs(elapsedMs)).toBeGreaterThanOrEqual(0);
    }
  });
});
