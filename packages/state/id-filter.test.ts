import { describe, expect, test } from "@jest/globals";
import { callIdKey } from "./call-id.ts";
import { aimProbe, createProbe, IdFilter } from "./id-filter.ts";

const probe = createProbe();
const aimed = (id: string) => {
  aimProbe(probe, callIdKey({ sourceId: "s", messageId: id, userId: "u", anonymousId: null }));
  return probe;
};

describe("a filter", () => {
  test("never denies a key that it holds, and seldom claims another", () => {
    const filter = IdFilter.forKeys(10_000);
    for (let i = 0; i < 10_000; i++) filter.add(aimed(`in-${i}`));
    let denied = 0;
    let claimed = 0;
    for (let i = 0; i < 10_000; i++) {
      if (!filter.mayHold(aimed(`in-${i}`))) denied += 1;
      if (filter.mayHold(aimed(`out-${i}`))) claimed += 1;
    }
    expect(denied).toBe(0);
    expect(claimed).toBeLessThan(50);
  });

  test("is the same after it was kept as bytes", () => {
    const filter = IdFilter.forKeys(100);
    filter.add(aimed("a"));
    const kept = IdFilter.from(Buffer.concat([filter.bytes]));
    expect(kept.mayHold(aimed("a"))).toBe(true);
    expect(kept.mayHold(aimed("b"))).toBe(false);
    expect(kept.capacity).toBe(filter.capacity);
  });
});
