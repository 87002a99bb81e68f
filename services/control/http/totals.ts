// How many entries a list has, beside its first page.
import { Type } from "typebox";
import { nullableInteger } from "./nullable.ts";

/** Of a list over an index of millions; so many are counted in a millisecond or two. */
const MOST_COUNTED = 10_000;
/** Of a source's calls: that none is routed again has to be looked up for each, 2 µs. */
export const MOST_CALLS_COUNTED = 3_000;

/** Fields of an answer. */
export const TOTAL_FIELDS = {
  total: Type.Optional(
    nullableInteger(
      "Of the first page: how many entries the list has, exactly; null when it has more than atLeast.",
    ),
  ),
  atLeast: Type.Optional(
    Type.Integer({
      description: `Of the first page: how many were counted, at most ${MOST_COUNTED.toLocaleString("en")}, of a source's calls ${MOST_CALLS_COUNTED.toLocaleString("en")}; of a list that is narrowed in a way that its index does not know, how many are on the page.`,
    }),
  ),
};

export interface Total {
  readonly total?: number | null;
  readonly atLeast?: number;
}

export interface FirstPage {
  /** Of the query. */
  readonly after?: string | undefined;
  readonly data: readonly unknown[];
  readonly isLast: boolean;
  /** Counts the list up to a number; undefined where nothing but a look at each entry would tell. */
  readonly count: ((most: number) => number | Promise<number>) | undefined;
  readonly most?: number | undefined;
}

/** Nothing for a page behind the first one. */
export async function totalOf({
  after,
  count,
  data,
  isLast,
  most = MOST_COUNTED,
}: FirstPage): Promise<Total> {
  if (after !== undefined) return {};
  if (isLast) return { total: data.length, atLeast: data.length };
  if (count === undefined) return { total: null, atLeast: data.length };
  const counted = await count(most + 1);
  return counted > most ? { total: null, atLeast: most } : { total: counted, atLeast: counted };
}
