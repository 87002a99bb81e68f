import { describe, expect, test } from "@jest/globals";
import type { TopicPartition } from "#kafka";
import { forgetPassedCursors } from "./forget.ts";

type IsPassed = (place: TopicPartition & { readonly belowOffset: number }) => boolean;

const PLACE = { topic: "retry", partition: 2 };

/** Looks once, as the commits of the group stand then; gives what it forgets. */
async function look(commits: ReadonlyMap<number, number>, assigned: () => readonly TopicPartition[]) {
  const stopping = new AbortController();
  const passed: IsPassed[] = [];
  let delays = 0;
  const looking = forgetPassedCursors(
    {
      topics: ["retry"],
      assigned,
      committed: async () => commits,
      host: {
        async delay() {
          delays += 1;
          if (delays > 2) stopping.abort();
        },
      },
      logger: { warn: () => undefined },
      cursors: { isEmpty: false, forget: async (isPassed) => void passed.push(isPassed) },
    },
    stopping.signal,
  );
  await looking;
  return { passed, isPassed: (belowOffset: number) => passed[0]?.({ ...PLACE, belowOffset }) };
}

describe("a cursor of a partition that is read here", () => {
  test("is kept until the group has committed what it covers, wherever the reader is", async () => {
    const { isPassed } = await look(new Map([[2, 50]]), () => [PLACE]);
    expect([isPassed(50), isPassed(51)]).toEqual([true, false]);
  });

  test("is kept when nothing was committed", async () => {
    const { isPassed } = await look(new Map(), () => [PLACE]);
    expect(isPassed(1)).toBe(false);
  });

  test("is another's business when the partition is, also when it has just become so", async () => {
    const commits = new Map([[2, 50]]);
    expect((await look(commits, () => [])).isPassed(1)).toBe(false);
    let looks = 0;
    expect((await look(commits, () => (looks++ === 0 ? [PLACE] : []))).isPassed(1)).toBe(false);
  });
});

test("a look that fails is followed by the next", async () => {
  const stopping = new AbortController();
  let looks = 0;
  let warnings = 0;
  await forgetPassedCursors(
    {
      topics: ["retry"],
      assigned: () => [PLACE],
      committed: async () => {
        looks += 1;
        if (looks === 2) stopping.abort();
        throw new Error("Kafka is away");
      },
      host: { delay: async () => undefined },
      logger: {
        warn() {
          warnings += 1;
        },
      },
      cursors: { isEmpty: false, forget: async () => undefined },
    },
    stopping.signal,
  );
  expect([looks, warnings]).toEqual([2, 2]);
});
