import { expect, test } from "@jest/globals";
import { Places } from "./places.ts";

/** As the client knows the leaders after an answer. */
function metadata(leaders: readonly number[]) {
  return {
    leaders: new Map([["calls", leaders]]),
    leader: ({ partition }: { readonly partition: number }) => leaders[partition] ?? -1,
  };
}

test("a broker is asked for the places that it leads by the client's latest answer", () => {
  const places = new Places(
    { memberId: "member", generation: 1, coordinator: 1, userData: Buffer.alloc(0) },
    [0, 1, 2].map((partition) => ({ topic: "calls", partition })),
  );
  const partitionsOf = (broker: number, known: ReturnType<typeof metadata>) =>
    places.ledBy(broker, known).map(({ partition }) => partition);
  const first = metadata([1, 2, 1]);
  expect([1, 2, 3].map((broker) => partitionsOf(broker, first))).toEqual([[0, 2], [1], []]);
  const moved = metadata([3, 2, 2]);
  expect([1, 2, 3].map((broker) => partitionsOf(broker, moved))).toEqual([[], [1, 2], [0]]);
});
