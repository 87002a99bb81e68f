import { expect, jest, test } from "@jest/globals";
import type { Received, Settle, Step } from "#kafka";
import { type DeliveryJob, EVERY_CALL } from "#topics";
import type { DestinationState } from "../destinations.ts";
import { job, START_MS } from "../fixtures/jobs.ts";
import { hastening } from "./hastened.ts";
import { OpenRequest } from "./retry-request.ts";

const PLACE = { topic: "retry", partition: 0, partitions: 1 };
const DUE_MS = START_MS + 600_000;
const ACTIVE: DestinationState = {
  kind: "active",
  urls: ["https://a.test/hook"],
  pausedMs: 0,
  webhooks: new Map(),
};

interface World {
  readonly dueAtMs?: number;
  readonly failedAtMs?: number;
  readonly hasRoom?: boolean;
  readonly hasTurn?: boolean;
  readonly kind?: "retry" | "deleted";
  readonly state?: DestinationState;
  /** A pass has found nothing more to take. */
  readonly hasPassed?: boolean;
}

/** What a job that comes out of a retry topic is stepped with, and what its request knows then. */
function comesOut({
  dueAtMs = DUE_MS,
  failedAtMs,
  hasRoom = true,
  hasTurn = true,
  hasPassed = true,
  kind = "retry",
  state = ACTIVE,
}: World) {
  const asked = { id: "r", destinationId: "d1", askedAtMs: START_MS, kind };
  const open = new OpenRequest({ ...asked, ...EVERY_CALL, found: null, done: null }, () => START_MS, true);
  if (hasPassed) open.passed(PLACE, { beganAtMs: 0, inHand: new Set(), isWhole: true });
  const woken = jest.fn();
  const step = jest.fn<Step<DeliveryJob>>();
  const reading = hastening(step, {
    requests: { of: (id) => (id === "d1" ? [open] : []) },
    room: { hasTurn: () => hasTurn, takesNow: () => hasRoom },
    nowMs: () => START_MS + 1,
    woken,
    destination: () => state,
  });
  const movedOn = jest.spyOn(open, "movedOn");
  const decoded = job({ dueAtMs, failedAtMs: failedAtMs ?? null });
  const record = { ...PLACE, offset: 7, decoded } as unknown as Received<DeliveryJob>;
  const settle = jest.fn<Settle>();
  reading(record, settle, { isOurs: true, giveBack: () => undefined });
  const [given, settled] = step.mock.calls[0] ?? [];
  return { dueAtMs: given?.decoded.dueAtMs, movedOn, open, settle, settled, woken };
}

test("a job that a request's pass has missed is due at once where its endpoint has room, and counts when it is durable", () => {
  const { dueAtMs, movedOn, open, settle, settled, woken } = comesOut({});
  expect([dueAtMs, movedOn.mock.calls.length]).toEqual([START_MS + 1, 1]);
  const onDurable = jest.fn();
  settled?.({ produce: [], onDurable });
  expect(open.takeReport()).toBeUndefined();
  settle.mock.calls[0]?.[0].onDurable?.();
  expect([onDurable.mock.calls.length, woken.mock.calls]).toEqual([1, [[1]]]);
  expect(open.takeReport()?.done).toEqual({ places: [], woken: 1 });
});

test("a copy of it has no outcome of its own, and does not count", () => {
  const { open, settle, settled } = comesOut({});
  settled?.({ produce: [] });
  expect(settle.mock.calls).toEqual([[{ produce: [] }]]);
  expect(open.takeReport()).toBeUndefined();
});

test.each<[string, World]>([
  ["without room at its endpoint", { hasRoom: false }],
  ["whose destination is at its own limits", { hasTurn: false }],
  ["whose destination is paused", { state: { kind: "paused" } as DestinationState }],
])("one %s hops on, and its request knows that it moved", (_, world) => {
  const { dueAtMs, movedOn } = comesOut(world);
  expect([dueAtMs, movedOn.mock.calls.length]).toEqual([DUE_MS, 1]);
});

test.each<[string, World]>([
  ["that failed after it was asked for", { failedAtMs: START_MS + 1 }],
  ["that passes may take yet", { hasPassed: false }],
  ["whose destination is there, for its deletion", { kind: "deleted" }],
  ["of a destination that is gone, for a retry", { state: { kind: "gone" } }],
])("one %s hops on", (_, world) => {
  const { dueAtMs, movedOn } = comesOut(world);
  expect([dueAtMs, movedOn.mock.calls.length]).toEqual([DUE_MS, 0]);
});

test("one that is due, and one of a deleted destination, need no room", () => {
  expect(comesOut({ dueAtMs: START_MS, hasRoom: false }).dueAtMs).toBe(START_MS);
  const deleted = comesOut({ kind: "deleted", state: { kind: "gone" }, hasRoom: false });
  expect(deleted.dueAtMs).toBe(START_MS + 1);
});
