import { expect, test } from "@jest/globals";
import { laneRequest } from "../fixtures/request.ts";
import { Gate } from "./destination-limit.ts";

const wait = (gate: Gate, count: number) => {
  for (let waiting = 0; waiting < count; waiting += 1) gate.waiting.push(laneRequest());
};

test("at most 500 wait at a gate, however near their turn is", () => {
  const gate = new Gate({ maxRequestsPerSecond: null, maxInFlight: 1 });
  wait(gate, 499);
  expect(gate.mayWait(0)).toBe(true);
  wait(gate, 1);
  expect(gate.mayWait(0)).toBe(false);
});

test("nobody waits whose turn is more than two seconds away", () => {
  const gate = new Gate({ maxRequestsPerSecond: 1, maxInFlight: null });
  gate.let(10_000);
  wait(gate, 1);
  expect(gate.mayWait(10_000)).toBe(true);
  wait(gate, 1);
  expect([gate.mayWait(10_000), gate.mayWait(10_990)]).toEqual([false, true]);
});

test("who has waited for two seconds waits no longer", () => {
  const gate = new Gate({ maxRequestsPerSecond: null, maxInFlight: 1 });
  const [first, second] = [laneRequest({ enteredAtMs: 1_000 }), laneRequest({ enteredAtMs: 1_500 })];
  for (const request of [first, second]) gate.waiting.push(request);
  expect(gate.takeExpired(2_999)).toBeUndefined();
  expect(gate.takeExpired(3_000)).toBe(first);
  expect([gate.takeExpired(3_000), gate.waiting.length]).toEqual([undefined, 1]);
});
