import { expect, test } from "@jest/globals";
import { HeldEvents } from "./held-events.ts";

const NOTHING = { events: 0, records: 0 };

function filled(count: number, mostCharacters = 100) {
  const held = new HeldEvents("run", mostCharacters);
  const ids = Array.from({ length: count }, (_, at) => held.add("accepted", `{"n":${at}}`).id);
  return { held, ids };
}

test("whoever comes back gets what came behind the last id, and nothing twice", () => {
  const { held, ids } = filled(3);
  expect(held.since(ids[0] ?? "").events.map(({ data }) => data)).toEqual(['{"n":1}', '{"n":2}']);
  expect(held.since(held.lastId)).toEqual({ missed: 0, events: [], leftOut: NOTHING });
});

test("whoever had no event yet has an id, too", () => {
  const held = new HeldEvents("run", 100);
  const { lastId } = held;
  held.add("accepted", "{}");
  expect(held.since(lastId).events).toHaveLength(1);
});

test("what is held no more is counted", () => {
  const { held, ids } = filled(5, 14);
  const { events, missed } = held.since(ids[0] ?? "");
  expect([missed, events.map(({ data }) => data)]).toEqual([2, ['{"n":3}', '{"n":4}']]);
});

test("an event that is larger than all that is held is counted, not held", () => {
  const { held, ids } = filled(1);
  held.add("accepted", "x".repeat(200));
  expect(held.since(ids[0] ?? "")).toEqual({ missed: 1, events: [], leftOut: NOTHING });
});

test("what was left out stands where it was", () => {
  const { held, ids } = filled(1);
  held.leaveOut({ events: 2, records: 0 });
  held.leaveOut({ events: 0, records: 7 });
  held.add("accepted", "{}");
  held.leaveOut({ events: 1, records: 0 });
  expect(held.since(ids[0] ?? "")).toMatchObject({
    events: [{ leftOut: { events: 2, records: 7 } }],
    leftOut: { events: 1, records: 0 },
  });
});

test.each(["other.1", "run.9", "run.", "run", "", "run.1x"])(
  "of the id %p nobody knows what was missed",
  (id) => {
    expect(filled(3).held.since(id)).toEqual({ missed: null, events: [], leftOut: NOTHING });
  },
);
