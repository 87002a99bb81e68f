// Pages end before an answer is too large: a definition or a filter may have half a megabyte, and a page two hundred of them.
import { expect, test } from "@jest/globals";
import { listingOf } from "../records/fixtures/listing.ts";
import { listPage } from "./lists.ts";
import { page } from "./pages.ts";

const LARGE = 200_000;

const entries = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `d${index}`,
    name: `name ${index}`,
    createdAtMs: index,
    enabled: true,
    labels: {},
    size,
  }));
const sizeOf = ({ size }: { readonly size: number }): number => size;

test.each(["createdAt", "-name"] as const)(
  "in the order of %s a page of large entries is short, and the next one goes on behind it",
  async (sort) => {
    const large = entries(5, LARGE);
    const all = listingOf(() => large);
    const seen: string[][] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const { data, next } = await listPage(
        { all, valueOf: all.get, sizeOf },
        { sort, limit: 4, ...(after && { after }) },
      );
      seen.push(data.map(({ id }) => id));
      after = next;
    }
    const ids = sort === "createdAt" ? ["d0", "d1", "d2", "d3", "d4"] : ["d4", "d3", "d2", "d1", "d0"];
    expect(seen).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  },
);

test("an entry that is larger than a page has one of its own; of small ones there are as many as were asked for", () => {
  expect(page(entries(2, 2_000_000), { limit: 2 }, sizeOf).data).toHaveLength(1);
  expect(page(entries(300, 10), { limit: 200 }, sizeOf).data).toHaveLength(200);
});
