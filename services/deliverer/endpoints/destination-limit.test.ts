import { expect, test } from "@jest/globals";
import { endpointRequest } from "../fixtures/request.ts";
import { DestinationLimit } from "./destination-limit.ts";

const wait = (limit: DestinationLimit, count: number) => {
  for (let waiting = 0; waiting < count; waiting += 1) limit.waiting.push(endpointRequest());
};

test("at most 500 wait at a limit, however near their turn is", () => {
  const limit = new DestinationLimit({ maxRequestsPerSecond: null, maxInFlight: 1 });
  wait(limit, 499);
  expect(limit.mayWait(0)).toBe(true);
  wait(limit, 1);
  expect(limit.mayWait(0)).toBe(false);
});

test("nobody waits whose turn is more than two seconds away", () => {
  const limit = new DestinationLimit({ maxRequestsPerSecond: 1, maxInFlight: null });
  limit.let(10_000);
  wait(limit, 1);
  expect(limit.mayWait(10_000)).toBe(true);
  wait(limit, 1);
  expect([limit.mayWait(10_000), limit.mayWait(10_990)]).toEqual([false, true]);
});

test("who has waited for two seconds waits no longer", () => {
  const limit = new DestinationLimit({ maxRequestsPerSecond: null, maxInFlight: 1 });
  const [first, second] = [endpointRequest({ enteredAtMs: 1_000 }), endpointRequest({ enteredAtMs: 1_500 })];
  for (const request of [first, second]) limit.waiting.push(request);
  expect(limit.takeExpired(2_999)).toBeUndefined();
  expect(limit.takeExpired(3_000)).toBe(first);
  expect([limit.takeExpired(3_000), limit.waiting.length]).toEqual([undefined, 1]);
});

test("a waiting call is taken while its turn is a second away, and new calls find room behind it", () => {
  const limit = new DestinationLimit({ maxRequestsPerSecond: 1, maxInFlight: null });
  limit.let(10_000);
  expect([limit.hasTurn(10_000), limit.mayWait(10_000)]).toEqual([true, true]);
  wait(limit, 1);
  expect([limit.hasTurn(10_000), limit.mayWait(10_000), limit.hasTurn(11_000)]).toEqual([false, true, true]);
});

test("where requests under way are bounded, no more waiting calls than these are taken ahead", () => {
  const limit = new DestinationLimit({ maxRequestsPerSecond: null, maxInFlight: 2 });
  const turns = [0, 1, 2].map(() => {
    const hasTurn = limit.hasTurn(0);
    wait(limit, 1);
    return hasTurn;
  });
  expect(turns).toEqual([true, true, false]);
  const unbounded = new DestinationLimit({ maxRequestsPerSecond: null, maxInFlight: 1_000 });
  wait(unbounded, 250);
  expect([unbounded.hasTurn(0), unbounded.mayWait(0)]).toEqual([false, true]);
});

test("where requests under way are bounded, turns are as far apart as these take, and five minutes ahead at most", () => {
  const limit = new DestinationLimit({ maxRequestsPerSecond: null, maxInFlight: 2 });
  const later = (count: number) => Array.from({ length: count }, () => limit.laterMs(10_000));
  for (let call = 0; call < 2; call += 1) limit.let(0);
  for (let call = 0; call < 2; call += 1) limit.left(100);
  wait(limit, 40);
  expect([limit.mayWait(10_000), later(2)]).toEqual([true, [10_050, 10_100]]);
  wait(limit, 1);
  limit.let(1_000);
  limit.left(1_900);
  expect([limit.mayWait(10_000), later(1), later(3_000).at(-1)]).toEqual([false, [10_200], 310_000]);
  limit.change({ maxRequestsPerSecond: null, maxInFlight: 4 });
  expect(later(1)).toEqual([10_050]);
  limit.change({ maxRequestsPerSecond: 2, maxInFlight: 4 });
  expect(later(1_000).at(-1)).toBe(510_000);
});
