import { expect, test } from "@jest/globals";
import { listingOf } from "../records/fixtures/listing.ts";
import { listPage } from "./lists.ts";

const entry = (at: number) => ({
  ...{ id: `d${at}`, name: `n${(7 * at) % 10}`, createdAtMs: at, enabled: true, labels: {} },
});
const ALL = Array.from({ length: 10 }, (_, at) => entry(at));
const all = listingOf(() => ALL);
const LIST = { all, valueOf: all.get };

test.each(["createdAt", "-createdAt", "name", "-name"] as const)(
  "pages by %s go on until the last entry, and have each once",
  async (sort) => {
    for (const limit of [1, 3, 5, 10, 11]) {
      const seen: string[] = [];
      let pages = 0;
      for (let after: string | undefined | null; after !== null; pages += 1) {
        const { data, next, total } = await listPage(LIST, { sort, limit, ...(after && { after }) });
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

test.each(["createdAt", "-createdAt", "name", "-name"] as const)(
  "a list by %s that is narrowed has pages of its own, and counts what it has",
  async (sort) => {
    const seen: string[] = [];
    for (let after: string | undefined | null; after !== null; ) {
      const query = { sort, limit: 2, search: "N", ...(after && { after }) };
      const accepts = ({ createdAtMs }: { readonly createdAtMs: number }) => createdAtMs % 2 === 0;
      const { data, next, total } = await listPage({ ...LIST, accepts }, query);
      expect(total).toBe(5);
      seen.push(...data.map(({ id }) => id));
      after = next;
    }
    const by = sort.endsWith("name") ? ("name" as const) : ("createdAtMs" as const);
    const even = ALL.filter(({ createdAtMs }) => createdAtMs % 2 === 0);
    const sorted = even.toSorted((one, other) => (one[by] < other[by] ? -1 : 1)).map(({ id }) => id);
    expect(seen).toEqual(sort.startsWith("-") ? sorted.toReversed() : sorted);
  },
);

test("what goes between the look at the list and the answer is left out, and the list goes on behind it", async () => {
  const look = (id: string) => (id === "d1" ? undefined : all.get(id));
  const { data, next } = await listPage({ all, valueOf: look }, { limit: 3 });
  expect([data.map(({ id }) => id), next === null]).toEqual([["d0", "d2"], false]);
});
