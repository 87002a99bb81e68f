import { expect, test } from "@jest/globals";
import { RecentMap } from "./recent-map.ts";

test("it keeps what is asked for all the time, and never more than it may", () => {
  const map = new RecentMap<number>(100);
  map.set("hot", 1);
  for (let i = 0; i < 10_000; i += 1) {
    map.set(`k${i}`, i);
    expect(map.get("hot")).toBe(1);
  }
  const kept = Array.from({ length: 10_000 }, (_, i) => map.get(`k${i}`)).filter(
    (value) => value !== undefined,
  );
  expect(kept.length).toBeLessThanOrEqual(100);
  expect(map.get("k9999")).toBe(9_999);
});

test("what is deleted is gone, and what is set again is the new value, however old the entry", () => {
  const map = new RecentMap<number>(4);
  for (const key of ["a", "b", "c"]) map.set(key, 1);
  map.delete("a");
  map.set("b", 2);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([undefined, 2, 1]);
  map.delete("b");
  expect(map.get("b")).toBeUndefined();
});
