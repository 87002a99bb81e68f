// Lists of what happened: newest first, in a range of time, answered as {data, next, indexedUntil}.
import { type Static, type TSchema, Type } from "typebox";
import { parseTimestamp } from "#contract";
import { DEFAULT_LIMIT, PageQuery, pageFields, pageTitle } from "./pages.ts";
import { type FieldProblem, refused } from "./problem.ts";
import { TOTAL_FIELDS } from "./totals.ts";

/** Fields of a query that asks for a range of time. */
export const RANGE_FIELDS = {
  from: Type.Optional(Type.String({ format: "date-time", description: "First moment." })),
  to: Type.Optional(Type.String({ format: "date-time", description: "First moment not asked for." })),
};

/** Fields of a query that asks for a page. */
export const PAGE_FIELDS = PageQuery.properties;

export const IndexedUntilField = Type.Unsafe<string | null>({
  type: ["string", "null"],
  format: "date-time",
  description:
    "Everything that was recorded before this moment is taken into account; null while the service has not read that far yet, after a start with an empty data folder.",
});

/** Of a list that is narrowed while it is read (index/scan.ts). */
export const SCANNED_TEXT =
  "A page may have fewer entries than `limit`, also none, and a `next`: then so many were looked at that the next page goes on.";

export function timePageOf<T extends TSchema>(item: T) {
  return Type.Object(
    {
      ...pageFields(item),
      ...TOTAL_FIELDS,
      indexedUntil: IndexedUntilField,
    },
    { ...pageTitle(item), description: "One page of the list, newest first." },
  );
}

const Range = Type.Object(RANGE_FIELDS);
const PageFields = Type.Object(PAGE_FIELDS);

interface RangeMs {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

function rangeProblems({ from, to }: Partial<Record<"from" | "to", unknown>>): FieldProblem[] {
  const problems = Object.entries({ from, to }).flatMap(([path, value]) =>
    value === undefined || parseTimestamp(value) !== undefined
      ? []
      : [{ path, message: "is not an ISO 8601 time" }],
  );
  const isEmpty = problems.length === 0 && Number(parseTimestamp(to)) <= Number(parseTimestamp(from));
  return isEmpty ? [{ path: "to", message: "must be later than from" }] : problems;
}

/** As `rangeProblems`, of what has happened by now: a range that begins later can only be a slip. */
export function pastRangeProblems(
  range: Partial<Record<"from" | "to", unknown>>,
  nowMs: number,
): FieldProblem[] {
  const problems = rangeProblems(range);
  const isFuture = problems.length === 0 && Number(parseTimestamp(range.from)) > nowMs;
  return isFuture
    ? [{ path: "from", message: "must not be in the future: nothing has happened there" }]
    : problems;
}

/** Throws a 422 that names what is no time. */
export function readRange(query: Static<typeof Range>): RangeMs {
  const problems = rangeProblems(query);
  if (problems.length > 0) throw refused(problems);
  return { fromMs: parseTimestamp(query.from), toMs: parseTimestamp(query.to) };
}

/** An entry's time, and what decides between those of the same time. */
export interface Mark {
  readonly atMs: number;
  readonly place: number;
}

/** How many entries the page has at most, and behind which it begins. */
export function readScannedPage({ limit = DEFAULT_LIMIT, after }: Static<typeof PageFields>): {
  readonly limit: number;
  readonly behind: Mark | undefined;
} {
  return { limit, behind: after === undefined ? undefined : readCursor(after) };
}

/** One more than the page has, to know whether there is another. */
export function readPage(query: Static<typeof PageFields>): ReturnType<typeof readScannedPage> {
  const page = readScannedPage(query);
  return { ...page, limit: page.limit + 1 };
}

/** `found` may have one entry more than the page. */
export function timePage<T>(
  found: readonly T[],
  { limit = DEFAULT_LIMIT }: Static<typeof PageFields>,
  markOf: (entry: T) => Mark,
): { data: T[]; next: string | null } {
  const data = found.slice(0, limit);
  const last = data.at(-1);
  return { data, next: found.length > limit && last !== undefined ? cursorOf(markOf(last)) : null };
}

export function cursorOf({ atMs, place }: Mark): string {
  return Buffer.from(`${atMs}:${place}`).toString("base64url");
}

function readCursor(cursor: string): Mark {
  const [, atMs, place] = /^(\d{1,15}):(\d{1,16})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (atMs === undefined || place === undefined)
    throw refused([{ path: "after", message: "is not a cursor that this list gave" }]);
  return { atMs: Number(atMs), place: Number(place) };
}

export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function isoTimeOrNull(atMs: number | null | undefined): string | null {
  return atMs === null || atMs === undefined ? null : isoTime(atMs);
}
