import { describe, expect, test } from "@jest/globals";
import { WakeProgress } from "./progress.ts";

const BACK = { isBack: true };
const GONE = { isBack: false };

describe("how far a destination's waiting jobs were taken", () => {
  test("never past a job whose outcome is not durable", () => {
    const progress = new WakeProgress();
    for (const offset of [3, 7, 9]) expect(progress.take(offset)).toBe(true);
    expect(progress.belowOffset(12)).toBe(3);
    progress.durable(7, GONE);
    expect(progress.belowOffset(12)).toBe(3);
    progress.durable(3, GONE);
    expect(progress.belowOffset(12)).toBe(9);
    progress.durable(9, GONE);
    expect(progress.belowOffset(12)).toBe(12);
  });

  test("never past the first job that was not taken", () => {
    const progress = new WakeProgress();
    progress.take(3);
    progress.stop(5);
    expect(progress.take(8)).toBe(false);
    progress.durable(3, GONE);
    expect(progress.belowOffset(20)).toBe(5);
  });

  test("never past a job that was left, though what is behind it is taken", () => {
    const progress = new WakeProgress();
    progress.leave(4);
    expect(progress.take(6)).toBe(true);
    progress.durable(6, GONE);
    expect(progress.belowOffset(20)).toBe(4);
  });

  test("a destination most of whose jobs come back is let be", () => {
    const progress = new WakeProgress();
    let offset = 0;
    while (progress.take(offset)) {
      progress.durable(offset, BACK);
      offset += 1;
      expect(offset).toBeLessThan(100);
    }
    expect(progress.isStopped).toBe(true);
    expect(progress.belowOffset(1_000)).toBe(offset);
  });

  test("some that come back do not stop the others", () => {
    const progress = new WakeProgress();
    for (let offset = 0; offset < 1_000; offset += 1) {
      expect(progress.take(offset)).toBe(true);
      progress.durable(offset, { isBack: offset % 3 === 0 });
    }
  });
});
