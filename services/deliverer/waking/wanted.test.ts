import { expect, test } from "@jest/globals";
import { Wanted } from "./wanted.ts";

const namesIn = ({ endpoints }: ReturnType<Wanted["take"]>) => [...endpoints.keys()];

test("a pass takes one endpoint, the last pass all that are left", () => {
  const wanted = new Wanted();
  expect(wanted.isEmpty).toBe(true);
  for (const endpoint of ["a", "b", "c"]) wanted.add(endpoint, 1);
  expect(wanted.isEmpty).toBe(false);
  expect(namesIn(wanted.take(false))).toEqual(["a"]);
  expect(namesIn(wanted.take(true))).toEqual(["b", "c"]);
  expect([wanted.isEmpty, namesIn(wanted.take(true))]).toEqual([true, []]);
});

test("an endpoint in a pass waits for its end before it comes into another", () => {
  const wanted = new Wanted();
  wanted.add("a", 1);
  const { endpoints } = wanted.take(false);
  wanted.add("a", 2);
  wanted.add("b", 3);
  expect(namesIn(wanted.take(true))).toEqual(["b"]);
  expect(namesIn(wanted.take(true))).toEqual([]);
  wanted.over(endpoints);
  expect([...wanted.take(false).endpoints]).toEqual([["a", 2]]);
});

test("an endpoint that is wanted twice is known to be well since the later time", () => {
  const wanted = new Wanted();
  for (const failedBeforeMs of [5, 9, 7]) wanted.add("a", failedBeforeMs);
  expect([...wanted.take(false).endpoints]).toEqual([["a", 9]]);
});

test("a hurry is told to the pass that the endpoint is in, and to no other", () => {
  const wanted = new Wanted();
  for (const endpoint of ["a", "b"]) wanted.add(endpoint, 1);
  const [a, b] = [wanted.take(false), wanted.take(false)];
  wanted.hurry("b");
  wanted.hurry("nobody");
  expect([a.hurry.signal.aborted, b.hurry.signal.aborted]).toEqual([false, true]);
});
