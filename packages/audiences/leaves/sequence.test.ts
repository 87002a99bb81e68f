import { expect, test } from "@jest/globals";
import { parseAudience } from "../definition/parse-audience.ts";
import { audience, callOf, NOW_MS } from "../fixtures/definitions.ts";
import { applyEvent } from "../profile/apply.ts";
import { compileSet } from "../profile/computation-set.ts";
import { advance } from "../profile/judging.ts";
import { createProfile } from "../profile/profile.ts";
import { firstCalls } from "./sequence.ts";

const MINUTE_MS = 60_000;
const LEFT_CART = { event: "Cart", within: "7d", notFollowedBy: { event: "Order", within: "1h" } };

test("a call is followed by a later one in less than the time", () => {
  const sequence = { first: [30, 20, 10], next: [40, 20, 10], withinMs: 11 };
  expect(firstCalls(sequence, true)).toEqual([30, 10]);
  expect(firstCalls({ ...sequence, withinMs: 10 }, true)).toEqual([]);
  expect(firstCalls(sequence, false)).toEqual([20]);
  expect(firstCalls({ ...sequence, next: [] }, false)).toEqual([30, 20, 10]);
});

test("of a call from before what is kept of the others nothing is known", () => {
  const next = Array.from({ length: 50 }, (_, index) => 1_000 - index);
  const sequence = { first: [990, 951, 950, 900, 1], next, withinMs: 100 };
  expect(firstCalls(sequence, true)).toEqual([990, 951, 950, 900]);
  expect(firstCalls(sequence, false)).toEqual([]);
});

function setup() {
  const set = compileSet([audience("left", LEFT_CART)]);
  const profile = createProfile("u", 0);
  let offset = 0;
  const call = (name: string, minute: number, receivedMinute = minute) => {
    offset += 1;
    const receivedAtMs = NOW_MS + receivedMinute * MINUTE_MS;
    const timestampMs = NOW_MS + minute * MINUTE_MS;
    const made = callOf({ messageId: `m${offset}`, name, timestampMs, receivedAtMs });
    applyEvent(profile, { kind: "call", call: made }, set, { offset, nowMs: receivedAtMs });
  };
  /** By the minute at which each change was sent. */
  const sent = () =>
    profile.outbox.map(({ atMs, text }) => `${text} ${Math.round((atMs - NOW_MS) / MINUTE_MS)}`);
  const clock = (minute: number) => advance(profile, set, NOW_MS + minute * MINUTE_MS);
  const nextMinute = () => (profile.nextDeadlineMs - NOW_MS) / MINUTE_MS;
  return { call, clock, nextMinute, sent };
}

test("who left a cart is in an hour after it, not at once, and out seven days after it", () => {
  const { call, clock, nextMinute, sent } = setup();
  call("Cart", 0);
  expect([sent(), nextMinute()]).toEqual([[], 60]);
  clock(60);
  expect([sent(), nextMinute()]).toEqual([["true 60"], 7 * 24 * 60]);
  clock(7 * 24 * 60);
  expect(sent()).toEqual(["true 60", "false 10080"]);
});

test("an order in time keeps a user out; one that comes late, but was made in time, takes the user out", () => {
  const early = setup();
  early.call("Cart", 0);
  early.call("Order", 59);
  early.clock(61);
  expect([early.sent(), early.nextMinute()]).toEqual([[], Number.POSITIVE_INFINITY]);
  const late = setup();
  late.call("Cart", 0);
  late.clock(60);
  late.call("Order", 60, 61);
  expect(late.sent()).toEqual(["true 60"]);
  late.call("Order", 59, 62);
  expect(late.sent()).toEqual(["true 60", "false 62"]);
});

test.each([
  [{ event: "A", notFollowedBy: { event: "B", within: "1h" } }, "definition.within", "is needed"],
  [
    { event: "A", within: "1h", followedBy: { event: "B", within: "1h" } },
    "definition.followedBy.within",
    "shorter",
  ],
  [
    { event: "A", within: "2h", followedBy: { event: "B" } },
    "definition.followedBy.within",
    "must be a duration",
  ],
  [
    { event: "A", within: "2h", followedBy: { within: "1h" } },
    "definition.followedBy",
    "must have one of event",
  ],
  [
    { event: "A", within: "2h", followedBy: { event: "B", page: "C", within: "1h" } },
    "definition.followedBy.page",
    "beside",
  ],
  [{ event: "A", within: "2h", followedBy: [] }, "definition.followedBy", "must be an object"],
  [
    { event: "A", within: "2h", followedBy: { event: "B", within: "1h", count: {} } },
    "definition.followedBy.count",
    "is not known here",
  ],
  [
    { event: "A", within: "2h", followedBy: { event: "B", within: "1h" }, notFollowedBy: {} },
    "definition.notFollowedBy",
    "cannot stand beside followedBy",
  ],
])("%j is refused at %s", (definition, path, message) => {
  const reading = parseAudience(definition, { audiences: new Map() });
  expect(reading.ok ? [] : reading.problems).toEqual([{ path, message: expect.stringContaining(message) }]);
});
