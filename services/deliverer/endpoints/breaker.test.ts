import { describe, expect, test } from "@jest/globals";
import { Breaker } from "./breaker.ts";

const PERIODS_MS = [10_000, 60_000, 300_000];
const START_MS = 1_000_000;

function broken(): Breaker {
  const breaker = new Breaker(PERIODS_MS);
  for (let count = 0; count < 5; count += 1) breaker.failed(false, START_MS);
  return breaker;
}

describe("a circuit breaker", () => {
  test("opens at the fifth failure in a row", () => {
    const breaker = new Breaker(PERIODS_MS);
    const opened = Array.from({ length: 5 }, (_, index) => breaker.failed(false, START_MS + index * 1_000));
    expect(opened).toEqual([false, false, false, false, true]);
    expect(breaker.permit(START_MS + 4_001)).toBe("none");
  });

  test("lets a probe through at once when somebody asks for one, and one only", () => {
    const breaker = broken();
    expect(breaker.permit(START_MS)).toBe("none");
    breaker.askForProbe(START_MS);
    expect(breaker.isProbeAsked).toBe(true);
    expect(breaker.permit(START_MS)).toBe("probe");
    expect(breaker.isProbeAsked).toBe(false);
    expect(breaker.permit(START_MS)).toBe("none");
    breaker.failed(true, START_MS);
    expect(breaker.permit(START_MS)).toBe("none");
  });

  test("takes no probe that is under way for the one that somebody asks for", () => {
    const breaker = broken();
    expect(breaker.permit(START_MS + 10_000)).toBe("probe");
    expect(breaker.askForProbe(START_MS + 10_000)).toBe(false);
    breaker.failed(true, START_MS + 15_000);
    expect(breaker.askForProbe(START_MS + 15_000)).toBe(true);
    expect(breaker.permit(START_MS + 15_000)).toBe("probe");
  });

  test("keeps a pause that the endpoint asked for, whoever asks for a probe", () => {
    const breaker = new Breaker(PERIODS_MS);
    breaker.pause(START_MS + 60_000);
    expect(breaker.askForProbe(START_MS + 59_999)).toBe(false);
    expect(breaker.permit(START_MS)).toBe("none");
    expect(breaker.askForProbe(START_MS + 60_000)).toBe(true);
    expect(breaker.isProbeAsked).toBe(true);
    expect(breaker.permit(START_MS + 60_000)).toBe("probe");
  });

  test("keeps no more than that pause when the endpoint is down for longer", () => {
    const breaker = broken();
    breaker.pause(START_MS + 400);
    expect([399, 400].map((ms) => breaker.askForProbe(START_MS + ms))).toEqual([false, true]);
  });

  test("has no probe that was asked for before the endpoint asked for a pause", () => {
    const breaker = broken();
    breaker.askForProbe(START_MS);
    breaker.pause(START_MS + 60_000);
    expect([breaker.isProbeAsked, breaker.permit(START_MS + 59_999)]).toEqual([false, "none"]);
  });

  test("stays closed for failures between answers, and for those of a call that is retried now and then", () => {
    const breaker = new Breaker(PERIODS_MS);
    for (let count = 0; count < 15; count += 1) {
      breaker.failed(false, START_MS);
      breaker.answered(false, START_MS);
      breaker.answered(false, START_MS);
    }
    for (let count = 1; count < 15; count += 1) breaker.failed(false, START_MS + count * 10_000);
    expect(breaker.state).toBe("closed");
  });

  test("opens when half of at least twenty requests of the last seconds fail", () => {
    const breaker = new Breaker(PERIODS_MS);
    const opened = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? breaker.answered(false, START_MS) : breaker.failed(false, START_MS),
    );
    expect(opened.indexOf(true)).toBe(19);
  });

  test("forgets failures of long ago", () => {
    const breaker = new Breaker(PERIODS_MS);
    for (let count = 0; count < 18; count += 1) {
      if (count % 2 === 0) breaker.failed(false, START_MS);
      else breaker.answered(false, START_MS);
    }
    for (let count = 0; count < 4; count += 1) breaker.failed(false, START_MS + 11_000);
    expect(breaker.state).toBe("closed");
  });

  test("looks at the requests of this stretch of five seconds and the one before it", () => {
    const breaker = new Breaker(PERIODS_MS);
    const tenAt = (nowMs: number) => {
      for (let count = 0; count < 5; count += 1) {
        breaker.failed(false, nowMs);
        breaker.answered(false, nowMs);
      }
    };
    tenAt(START_MS);
    tenAt(START_MS + 10_000);
    expect(breaker.failed(false, START_MS + 10_000)).toBe(false);
    tenAt(START_MS + 15_000);
    expect(breaker.state).toBe("open");
  });

  test("begins to count from zero when it has opened", () => {
    const breaker = new Breaker(PERIODS_MS);
    for (let count = 0; count < 10; count += 1) {
      breaker.answered(false, START_MS);
      breaker.failed(false, START_MS);
    }
    expect(breaker.state).toBe("open");
    breaker.permit(START_MS + 1_000);
    breaker.answered(true, START_MS + 1_000);
    for (let count = 0; count < 4; count += 1) breaker.failed(false, START_MS + 1_000);
    expect(breaker.state).toBe("closed");
    breaker.answered(false, START_MS + 6_000);
    for (let count = 0; count < 4; count += 1) breaker.failed(false, START_MS + 6_000);
    expect(breaker.state).toBe("closed");
  });

  test("lets one probe through per period: a tenth of the outage so far, and of the shortest retry delay at least", () => {
    const breaker = broken();
    let downMs = 0;
    for (const periodMs of [1_000, 1_000, 1_000]) {
      expect(breaker.permit(START_MS + downMs + periodMs - 1)).toBe("none");
      downMs += periodMs;
      const nowMs = START_MS + downMs;
      expect([breaker.permit(nowMs), breaker.permit(nowMs)]).toEqual(["probe", "none"]);
      expect(breaker.failed(true, nowMs)).toBe(true);
    }
    breaker.permit(START_MS + 60_000);
    breaker.failed(true, START_MS + 60_000);
    expect(breaker.untilMs).toBe(START_MS + 66_000);
  });

  test("never waits longer than the longest retry delay", () => {
    const breaker = broken();
    const nowMs = START_MS + 86_400_000;
    breaker.permit(nowMs);
    breaker.failed(true, nowMs);
    expect(breaker.untilMs).toBe(nowMs + 300_000);
  });

  test("keeps the permission for whoever comes when the period is long over", () => {
    expect(broken().permit(START_MS + 86_400_000)).toBe("probe");
  });

  test("closes with the probe's answer, and begins with the first period the next time", () => {
    const breaker = broken();
    breaker.permit(START_MS + 10_000);
    breaker.failed(true, START_MS + 10_000);
    breaker.permit(START_MS + 70_000);
    expect(breaker.answered(true, START_MS + 70_000)).toBe(true);
    expect(breaker.permit(START_MS + 70_000)).toBe("go");
    for (let count = 0; count < 5; count += 1) breaker.failed(false, START_MS + 80_000);
    expect([breaker.permit(START_MS + 80_999), breaker.permit(START_MS + 81_000)]).toEqual(["none", "probe"]);
  });

  test("is not closed or opened by the answers of requests from before", () => {
    const breaker = broken();
    expect(breaker.answered(false, START_MS)).toBe(false);
    expect(breaker.failed(false, START_MS + 900)).toBe(false);
    expect([breaker.state, breaker.untilMs]).toEqual(["open", START_MS + 1_000]);
  });

  test("pauses for as long as it was asked to", () => {
    const breaker = new Breaker(PERIODS_MS);
    breaker.pause(START_MS + 3_000);
    expect([breaker.permit(START_MS + 2_999), breaker.permit(START_MS + 3_000)]).toEqual(["none", "probe"]);
  });

  test("is paused no longer when it is down", () => {
    const breaker = new Breaker(PERIODS_MS);
    expect(breaker.isPaused).toBe(false);
    breaker.pause(START_MS);
    expect([breaker.isPaused, breaker.permit(START_MS)]).toEqual([true, "probe"]);
    breaker.failed(true, START_MS);
    expect([breaker.isPaused, breaker.state]).toEqual([false, "open"]);
  });

  test("keeps the longest of the pauses that requests under way at once were asked for", () => {
    const breaker = new Breaker(PERIODS_MS);
    breaker.pause(START_MS + 60_000);
    breaker.pause(START_MS + 3_000);
    expect(breaker.untilMs).toBe(START_MS + 60_000);
    expect(breaker.permit(START_MS + 59_999)).toBe("none");
  });
});
