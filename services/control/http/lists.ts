// What lists of sources and destinations can be asked for: filters, a search, an order.
import { type Static, Type } from "typebox";
import { FirstOf } from "./first-of.ts";
import { hasLabels, LABEL_FIELDS, type Labels } from "./labels.ts";
import {
  ageCursorOf,
  byAge,
  compare,
  DEFAULT_LIMIT,
  fitting,
  type Listed,
  noSize,
  PageQuery,
  readAgeCursor,
} from "./pages.ts";
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

type Narrowing = Pick<ListQuery, "enabled" | "label" | "name" | "search">;

/** undefined: the query wants all of them. */
function wanted({ enabled, label, name, search }: Narrowing): ((entry: Entry) => boolean) | undefined {
  if ([enabled, label, name, search].every((each) => each === undefined)) return undefined;
  const text = search?.toLowerCase();
  return (entry) =>
    (name === undefined || entry.name === name) &&
    (enabled === undefined || entry.enabled === enabled) &&
    hasLabels(entry, label) &&
    (text === undefined || entry.name.toLowerCase().includes(text) || entry.id.toLowerCase().includes(text));
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

/** What a list has, some at a time: looking at a million in one turn would hold the event loop for seconds. */
interface ListRows<R extends Entry> {
  readonly size: number;
  rows(asked?: {
    readonly after?: Listed | undefined;
    readonly isNewestFirst?: boolean;
    readonly atOnce?: number;
  }): AsyncIterable<readonly R[]>;
}

export interface PagedList<R extends Entry, V extends Place> {
  readonly all: ListRows<R>;
  /** Which of them the list has; all unless given. */
  readonly accepts?: ((row: R) => boolean) | undefined;
  /** undefined when it has gone meanwhile. */
  readonly valueOf: (id: string) => V | undefined;
  /** That of `page`. */
  readonly sizeOf?: (value: V) => number;
}

interface Page<V> {
  readonly data: V[];
  readonly next: string | null;
  readonly total: number;
}

/**
 * One page of a list. The cursor names the place of the last entry, so entries that come or go meanwhile neither repeat nor
 * hide others; one that is renamed moves in a list by name.
 */
export async function listPage<R extends Entry, V extends Place>(
  list: PagedList<R, V>,
  query: ListQuery,
): Promise<Page<V>> {
  const { sort = DEFAULT_SORT, limit = DEFAULT_LIMIT, after } = query;
  const last = after === undefined ? undefined : readCursor(after, sort);
  const isMeant = wanted(query);
  const isWhole = isMeant === undefined && list.accepts === undefined;
  // One more than is shown tells whether the list goes on.
  const asked = { count: limit + 1, sort, last };
  const { found, total } =
    isWhole && isByAge(sort)
      ? { found: await nextRows(list.all, asked), total: list.all.size }
      : await firstRows(list, { ...asked, isMeant });
  const data = fitting(
    found.slice(0, limit).flatMap(({ id }) => list.valueOf(id) ?? []),
    list.sizeOf ?? noSize,
  );
  const end = data.at(-1);
  const hasMore = end !== undefined && end.id !== found.at(-1)?.id;
  return { data, next: hasMore ? cursorOf(end, sort) : null, total };
}

interface RowsWanted {
  readonly count: number;
  readonly sort: Sort;
  /** Behind which they are. */
  readonly last: Place | undefined;
}

function isByAge(sort: Sort): boolean {
  return sort === "createdAt" || sort === "-createdAt";
}

/** Of a list in its own order, one way or the other. */
async function nextRows<R extends Entry>(
  all: ListRows<R>,
  { count, last, sort }: RowsWanted,
): Promise<readonly R[]> {
  const isNewestFirst = sort !== DEFAULT_SORT;
  for await (const rows of all.rows({ after: last, isNewestFirst, atOnce: count })) return rows;
  return [];
}

/** Looks at all of them: of those that are meant it counts each and keeps the first ones. */
async function firstRows<R extends Entry, V extends Place>(
  { accepts = () => true, all }: PagedList<R, V>,
  { count, isMeant = () => true, last, sort }: RowsWanted & { isMeant: ReturnType<typeof wanted> },
): Promise<{ readonly found: readonly R[]; readonly total: number }> {
  const order = ORDERS[sort];
  const first = new FirstOf<R>(count, order);
  let total = 0;
  for await (const rows of all.rows({ isNewestFirst: sort === "-createdAt" }))
    for (const row of rows) {
      if (!isMeant(row) || !accepts(row)) continue;
      total += 1;
      if (last === undefined || order(row, last) > 0) first.add(row);
    }
  return { found: first.found, total };
}

function cursorOf(place: Place, sort: Sort): string {
  const { createdAtMs, id, name } = place;
  if (sort === DEFAULT_SORT) return ageCursorOf(place);
  return Buffer.from(JSON.stringify([sort, createdAtMs, id, name])).toString("base64url");
}

/** Throws a 422 for one of another order too: it names no place in this one. */
function readCursor(cursor: string, sort: Sort): Place {
  if (sort === DEFAULT_SORT) return { ...readAgeCursor(cursor), name: "" };
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
