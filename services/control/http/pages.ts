// Lists: `?limit=` and `?after=`, answered as {data, next} (contract 10.1).
import { type Static, type TSchema, Type } from "typebox";
import { nullableString } from "./nullable.ts";
import { refused } from "./problem.ts";

const MAX_LIMIT = 200;
/** Of what may be large in the entries of one answer: to read and write so many takes some 10 ms, and 50 the first time. A page ends early, and `next` goes on. */
const MAX_PAGE_CHARACTERS = 500_000;
export const DEFAULT_LIMIT = 50;

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
  after: Type.Optional(Type.String({ description: "The `next` of the page before." })),
});

export function pageFields<T extends TSchema>(item: T) {
  return {
    data: Type.Array(item),
    next: nullableString("Give it as `after` for the next page; null on the last one."),
  };
}

export function pageOf<T extends TSchema>(item: T) {
  const total = Type.Integer({ description: "Entries of the list, on all of its pages." });
  return Type.Object(
    { ...pageFields(item), total },
    { ...pageTitle(item), description: "One page of the list." },
  );
}

/** Names the page in the API's document, after what is on it. */
export function pageTitle(item: TSchema): { readonly title?: string } {
  return "title" in item && typeof item.title === "string" ? { title: `${item.title}Page` } : {};
}

export interface Listed {
  readonly id: string;
  readonly createdAtMs: number;
}

export function compare<T extends string | number>(one: T, other: T): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

export function byAge(one: Listed, other: Listed): number {
  return compare(one.createdAtMs, other.createdAtMs) || compare(one.id, other.id);
}

/** The first ones that fit into one answer, one at least. */
export function fitting<T>(entries: readonly T[], sizeOf: (entry: T) => number): T[] {
  let left = MAX_PAGE_CHARACTERS;
  const over = entries.findIndex((entry, index) => {
    left -= sizeOf(entry);
    return left < 0 && index > 0;
  });
  return entries.slice(0, over === -1 ? entries.length : over);
}

export const noSize = (): number => 0;

/**
 * One page of a list that is sorted by age, then id. The cursor names the last entry by both, so entries that come or go
 * meanwhile neither repeat nor hide others. `sizeOf`: what may be large in an entry, in characters.
 */
export function page<T extends Listed>(
  all: readonly T[],
  { limit = DEFAULT_LIMIT, after }: Static<typeof PageQuery>,
  sizeOf: (entry: T) => number = noSize,
) {
  const last = after === undefined ? undefined : readAgeCursor(after);
  const start = last === undefined ? 0 : all.findIndex((entry) => byAge(entry, last) > 0);
  const data = start < 0 ? [] : fitting(all.slice(start, start + limit), sizeOf);
  const end = data.at(-1);
  const hasMore = end !== undefined && end !== all.at(-1);
  return { data, next: hasMore ? ageCursorOf(end) : null, total: all.length };
}

export function ageCursorOf({ id, createdAtMs }: Listed): string {
  return Buffer.from(`${createdAtMs}:${id}`).toString("base64url");
}

/** Throws a 422. */
export function readAgeCursor(cursor: string): Listed {
  const [, createdAtMs, id] = /^(\d{1,16}):(.+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (createdAtMs === undefined || id === undefined) {
    throw refused([{ path: "after", message: "is not a cursor that a list gave" }]);
  }
  return { createdAtMs: Number(createdAtMs), id };
}
