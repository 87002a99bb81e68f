import { describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { type Scan, scan } from "./scan.ts";

/** The numbers below `count`, the largest first. */
function listOf(count: number) {
  const looks: number[] = [];
  const read = ({ behind, limit }: Scan<number>["page"]): number[] => {
    looks.push(limit);
    const from = behind?.place ?? count;
    return Array.from({ length: Math.min(limit, from) }, (_, at) => from - 1 - at);
  };
  const page = (limit: number, accepts: (row: number) => boolean, behind?: number) =>
    scan({
      read,
      accepts,
      markOf: (row) => ({ atMs: 0, place: row }),
      page: { limit, behind: behind === undefined ? undefined : { atMs: 0, place: behind } },
      host: systemHost,
    });
  return { looks, page };
}

/** All rows, page by page. */
async function pagesOf(count: number, limit: number, accepts: (row: number) => boolean) {
  const { page } = listOf(count);
  const pages: (readonly number[])[] = [];
  for (let behind: number | undefined; ; ) {
    const { found, next } = await page(limit, accepts, behind);
    pages.push(found);
    if (next === undefined) return pages;
    behind = next.place;
  }
}

describe("a scanned list", () => {
  test("has every row once, in order, and ends with its last row", async () => {
    expect(await pagesOf(6, 2, () => true)).toEqual([
      [5, 4],
      [3, 2],
      [1, 0],
    ]);
    expect(await pagesOf(5, 2, () => true)).toEqual([[4, 3], [2, 1], [0]]);
    expect(await pagesOf(0, 2, () => true)).toEqual([[]]);
    expect(await pagesOf(5_000, 2, (row) => row % 2_000 === 0)).toEqual([[4_000, 2_000], [0]]);
  });

  test("ends a page that finds too little with where the next one goes on", async () => {
    const { looks, page } = listOf(200_000);
    const first = await page(2, (row) => row === 100_000);
    expect(first.found).toEqual([]);
    expect(looks.length).toBe(50);
    const pages = await pagesOf(200_000, 2, (row) => row === 100_000);
    expect(pages.flat()).toEqual([100_000]);
    expect(pages.length).toBeLessThan(6);
  });

  test("looks at no more rows than an unnarrowed page needs", async () => {
    const { looks, page } = listOf(200_000);
    expect((await page(50, () => true)).next?.place).toBe(199_950);
    expect(looks).toEqual([51]);
  });
});
