import { expect, test } from "@jest/globals";
import { sortedPage } from "./lists.ts";

const entry = (at: number) => ({
  ...{ id: `d${at}`, name: `n${(7 * at) % 10}`, createdAtMs: at, enabled: true, labels: {} },
});
const ALL = Array.from({ length: 10 }, (_, at) => entry(at));

test.each(["createdAt", "-createdAt", "name", "-name"] as const)(
  "pages by %s go on until the last entry, and have each once",
  (sort) => {
    for (const limit of [1, 3, 5, 10, 11]) {
      const seen: string[] = [];
      let pages = 0;
      for (let after: string | undefined | null; after !== null; pages += 1) {
        const { data, next, total } = sortedPage(ALL, { sort, limit, ...(after && { after }) });
        expect(total).toBe(ALL.length);
        seen.push(...data.map(({ id }) => id));
        after = next;
      }
      const by = sort.endsWith("name") ? ("name" as const) : ("createdAtMs" as const);
      const sorted = ALL.toSorted((one, other) => (one[by] < other[by] ? -1 : 1)).map(({ id }) => id);
      expect(seen).toEqual(sort.startsWith("-") ? sorted.toReversed() : sorted);
      expect(pages).toBe(Math.ceil(ALL.length / limit));
    }
  },
);
