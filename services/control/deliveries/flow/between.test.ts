import { expect, test } from "@jest/globals";
import { between, MOST_SHOWN, sourcesOf } from "./between.ts";

const destination = (id: string, sourceIds: readonly string[] = ["s1"], isStuck = false) => ({
  id,
  sourceIds,
  isStuck,
});

test("counts stand at their source, their destination and between them", () => {
  const sums = [
    { sourceId: "s1", destinationId: "", stage: "routed", calls: 5 },
    { sourceId: "s1", destinationId: "", stage: "refused", calls: 2 },
    { sourceId: "s1", destinationId: "", stage: "dropped", calls: 1 },
    { sourceId: "s1", destinationId: "", stage: "failed", calls: 1 },
    { sourceId: "s1", destinationId: "d1", stage: "sent", calls: 5 },
    { sourceId: "s2", destinationId: "d1", stage: "sent", calls: 3 },
    { sourceId: "s2", destinationId: "d1", stage: "dead", calls: 1 },
    { sourceId: "s2", destinationId: "d1", stage: "passed_over", calls: 9 },
  ] as const;
  const configured = {
    sources: [{ id: "s1" }, { id: "s2" }, { id: "s3" }],
    destinations: [destination("d1"), destination("d2")],
  };
  const waiting = [
    { sourceId: "s1", destinationId: "d1", calls: 2 },
    { sourceId: "s2", destinationId: "d1", calls: 7 },
  ];
  expect(between({ sums, waiting }, configured)).toEqual({
    sources: [
      { id: "s1", routed: 5, refused: 2, dropped: 2 },
      { id: "s2", routed: 0, refused: 0, dropped: 0 },
      { id: "s3", routed: 0, refused: 0, dropped: 0 },
    ],
    destinations: [
      { ...destination("d1"), sent: 8, dead: 1, waiting: 4, delivered: 3 },
      { ...destination("d2"), sent: 0, dead: 0, waiting: 0, delivered: 0 },
    ],
    flows: [
      { sourceId: "s1", destinationId: "d1", sent: 5, dead: 0, waiting: 2, delivered: 3 },
      // Not connected any more.
      { sourceId: "s2", destinationId: "d1", sent: 3, dead: 1, waiting: 2, delivered: 0 },
      { sourceId: "s1", destinationId: "d2", sent: 0, dead: 0, waiting: 0, delivered: 0 },
    ],
  });
});

test("where nobody knows what waits, nobody knows what is delivered", () => {
  const sums = [{ sourceId: "s1", destinationId: "d1", stage: "sent", calls: 5 }] as const;
  const configured = { sources: [{ id: "s1" }], destinations: [destination("d1")] };
  const ends = { sent: 5, dead: 0, waiting: null, delivered: null };
  expect(between({ sums, waiting: undefined }, configured)).toMatchObject({
    destinations: [ends],
    flows: [ends],
  });
});

test("of many the stuck ones come first, then the busiest", () => {
  const ids = Array.from({ length: MOST_SHOWN + 5 }, (_, at) => `d${at}`);
  const sums = [{ sourceId: "s1", destinationId: "d24", stage: "sent", calls: 7 }] as const;
  const destinations = ids.map((id) => destination(id, ["s1"], id === "d23"));
  const shown = between({ sums, waiting: [] }, { sources: [{ id: "s1" }], destinations }).destinations.map(
    ({ id }) => id,
  );
  expect(shown).toHaveLength(MOST_SHOWN);
  expect(shown.slice(0, 3)).toEqual(["d23", "d24", "d0"]);
});

test("the source of audiences is there once a destination takes it", () => {
  const made = [{ id: "s1", name: "Shop", enabled: false }];
  expect(sourcesOf(made, false)).toEqual(made);
  expect(sourcesOf(made, true).map(({ id }) => id)).toEqual(["s1", "spa_default"]);
});
