// What lists of sources and destinations can be asked for: filters, a search, an order.
import { type Static, Type } from "typebox";
import { firstOf } from "./first-of.ts";
import { hasLabels, LABEL_FIELDS, type Labels } from "./labels.ts";
import { byAge, compare, DEFAULT_LIMIT, fitting, type Listed, noSize, PageQuery, page } from "./pages.ts";
import { refused } from "./problem.ts";

const SORTS = ["createdAt", "-createdAt", "name", "-name"] as const;
type Sort = (typeof SORTS)[number];
const DEFAULT_SORT = "createdAt";

/** Fields of a query; a list adds its own. */
export const LIST_FIELDS = {
  ...PageQuery.properties,
  name: Type.Optional(Type.String({ minLength: 1, description: "Those with exactly this name." })),
  enabled: Type.Optional(Type.Boolean({ description: "Those that are switched on, or off." })),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Those whose name or id has this text, in capitals or not.",
    }),
  ),
  ...LABEL_FIELDS,
  sort: Type.Optional(
    Type.Unsafe<Sort>({
      type: "string",
      enum: SORTS,
      default: DEFAULT_SORT,
      description:
        "With a hyphen the other way round; entries with the same name are in the order of their ids.",
    }),
  ),
};

const ListFields = Type.Object(LIST_FIELDS);
type ListQuery = Static<typeof ListFields>;

interface Entry extends Listed {
  readonly name: string;
  readonly enabled: boolean;
  readonly labels: Labels;
}

export function matching<T extends Entry>(
  all: readonly T[],
  { enabled, label, name, search }: Pick<ListQuery, "enabled" | "label" | "name" | "search">,
): T[] {
  const text = search?.toLowerCase();
  return all.filter(
    (entry) =>
      (name === undefined || entry.name === name) &&
      (enabled === undefined || entry.enabled === enabled) &&
      hasLabels(entry, label) &&
      (text === undefined ||
        entry.name.toLowerCase().includes(text) ||
        entry.id.toLowerCase().includes(text)),
  );
}

/** What decides an entry's place. */
type Place = Pick<Entry, "id" | "name" | "createdAtMs">;

const ORDERS: Readonly<Record<Sort, (one: Place, other: Place) => number>> = {
  createdAt: byAge,
  "-createdAt": (one, other) => byAge(other, one),
  name: byName,
  "-name": (one, other) => byName(other, one),
};

function byName(one: Place, other: Place): number {
  return compare(one.name, other.name) || compare(one.id, other.id);
}

/**
 * One page of a list that is given oldest first. The cursor names the place of the last entry, so entries that come or go meanwhile neither repeat nor
 * hide others; one that is renamed moves in a list by name. `sizeOf` is that of `page`.
 */
export function sortedPage<T extends Entry>(
  all: readonly T[],
  { sort = DEFAULT_SORT, limit = DEFAULT_LIMIT, after }: Pick<ListQuery, "sort" | "limit" | "after">,
  sizeOf: (entry: T) => number = noSize,
): { data: T[]; next: string | null; total: number } {
  if (sort === DEFAULT_SORT) return page(all, { limit, ...(after !== undefined && { after }) }, sizeOf);
  const order = ORDERS[sort];
  const last = after === undefined ? undefined : readCursor(after, sort);
  const isMeant = (entry: T): boolean => last === undefined || order(entry, last) > 0;
  const rest = firstOf(all.toReversed(), { count: limit + 1, order, isMeant });
  const data = fitting(rest.slice(0, limit), sizeOf);
  const end = data.at(-1);
  const hasMore = end !== undefined && rest.length > data.length;
  return { data, next: hasMore ? cursorOf(end, sort) : null, total: all.length };
}

function cursorOf({ createdAtMs, id, name }: Place, sort: Sort): string {
  return Buffer.from(JSON.stringify([sort, createdAtMs, id, name])).toString("base64url");
}

/** Throws a 422 for one of another order too: it names no place in this one. */
function readCursor(cursor: string, sort: Sort): Place {
  const [given, createdAtMs, id, name] = partsOf(Buffer.from(cursor, "base64url").toString());
  if (given === sort && typeof createdAtMs === "number" && typeof id === "string" && typeof name === "string")
    return { createdAtMs, id, name };
  throw refused([{ path: "after", message: "is not a cursor that a list in this order gave" }]);
}

function partsOf(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
