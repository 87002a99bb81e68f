import { beforeEach, expect, test } from "@jest/globals";
import { createRoom, type Room } from "./room.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

let places: number | undefined;
let mayTake: boolean;
let taken: number;
let timers: Map<object, { work: () => void; ms: number }>;
let room: Room;
let ending: AbortController;

beforeEach(() => {
  [places, mayTake, taken] = [0, true, 0];
  timers = new Map();
  ending = new AbortController();
  room = createRoom({
    queues: { room: (endpoint) => (endpoint === "a" ? places : 0) },
    pace: {
      take() {
        if (mayTake) taken += 1;
        return mayTake;
      },
    },
    limits: { hasTurn: (destinationId, nowMs) => destinationId === "d1" && nowMs === 7 },
    host: {
      elapsed: () => 7,
      setTimeout(work, ms) {
        const timer = { clear: () => void timers.delete(timer) };
        timers.set(timer, { work, ms });
        return timer;
      },
    },
  });
});

/** The outcome of the wait; undefined while it goes on. */
function waiting(endpoint = "a"): { outcome: boolean | undefined } {
  const wait: { outcome: boolean | undefined } = { outcome: undefined };
  void room.wait(endpoint, ending.signal).then((outcome) => {
    wait.outcome = outcome;
  });
  return wait;
}

test("an endpoint with a place takes a job at once, as far as the pace allows", async () => {
  places = 1;
  expect(await room.wait("a", ending.signal)).toBe(true);
  expect([taken, timers.size]).toEqual([1, 0]);
  mayTake = false;
  const wait = waiting();
  await turn();
  expect([wait.outcome, [...timers.values()].map(({ ms }) => ms)]).toEqual([undefined, [20]]);
});

test("one without takes it when a job of it has ended, and looks again by itself", async () => {
  const [first, other] = [waiting(), waiting("b")];
  await turn();
  places = 1;
  room.freed("b");
  room.freed("none");
  await turn();
  expect([first.outcome, other.outcome]).toEqual([undefined, undefined]);
  room.freed("a");
  await turn();
  expect([first.outcome, other.outcome, taken, timers.size]).toEqual([true, undefined, 1, 1]);
  places = 0;
  const second = waiting();
  await turn();
  places = 1;
  for (const { work } of timers.values()) work();
  await turn();
  expect([second.outcome, other.outcome]).toEqual([true, undefined]);
});

test("a breaker that opens, and the end of the pass, end the wait", async () => {
  const [one, two] = [waiting(), waiting()];
  await turn();
  places = undefined;
  room.freed("a");
  await turn();
  expect([one.outcome, two.outcome, timers.size]).toEqual([false, false, 0]);
  places = 1;
  ending.abort();
  expect(await room.wait("a", ending.signal)).toBe(false);
  expect(taken).toBe(0);
});

test("one who is served leaves the others waiting, who hear of the next end", async () => {
  const [first, second] = [waiting(), waiting()];
  await turn();
  places = 1;
  const [look] = timers.values();
  look?.work();
  await turn();
  expect([first.outcome, second.outcome]).toEqual([true, undefined]);
  room.freed("a");
  await turn();
  expect([second.outcome, timers.size]).toEqual([true, 0]);
});

test("an endpoint is open while its breaker lets something through, also when it has no place just now", () => {
  expect(
    [0, 1, undefined].map((now) => {
      places = now;
      return room.isOpen("a");
    }),
  ).toEqual([true, true, false]);
});

test("it takes one now, which is counted, where the endpoint has room and the pace lets it", () => {
  expect([room.takesNow("a"), taken]).toEqual([false, 0]);
  places = undefined;
  expect([room.takesNow("a"), taken]).toEqual([false, 0]);
  places = 1;
  expect([room.takesNow("a"), taken]).toEqual([true, 1]);
  mayTake = false;
  expect([room.takesNow("a"), taken]).toEqual([false, 1]);
});

test("a destination's own limits are asked at the present time", () => {
  expect([room.hasTurn("d1"), room.hasTurn("d2")]).toEqual([true, false]);
});
