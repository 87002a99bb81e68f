// What conditions may be made of, as tables: docs/use/audiences.md and docs/use/destinations.md have the same words. A row more is a choice more in the form.

import { CALL_KINDS } from "../../api/tables.generated.ts";

export type Node = Readonly<Record<string, unknown>>;

/** A filter sees one call; an audience knows the user, and so does a computed trait, which is made of calls of one name. */
export type Mode = "filter" | "audience" | "trait";

interface Choice {
  readonly title: string;
  /** Undefined: in all of them. A computed trait has what an audience has. */
  readonly only?: "filter" | "audience";
}

export interface KindChoice extends Choice {
  /** As it begins. */
  readonly blank: Node;
}

/** By the field that makes a condition one of the kind. */
export const KINDS: Readonly<Record<string, KindChoice>> = {
  all: { title: "all of these hold", blank: { all: [] } },
  any: { title: "any of these holds", blank: { any: [] } },
  not: { title: "this does not hold", blank: { not: {} } },
  path: {
    title: "a value of the call",
    only: "filter",
    blank: { path: "properties.total", op: "gte", value: 100 },
  },
  ...Object.fromEntries(
    CALL_KINDS.map((kind) => [
      kind,
      { title: `${kind === "event" ? "track" : kind} calls`, blank: { [kind]: "" } },
    ]),
  ),
  trait: { title: "a trait", only: "audience", blank: { trait: "plan", op: "eq", value: "" } },
  computedTrait: {
    title: "a computed trait",
    only: "audience",
    blank: { computedTrait: "", op: "gte", value: 1 },
  },
  audience: { title: "a member of an audience", only: "audience", blank: { audience: "" } },
  members: {
    title: "so many members of the account",
    only: "audience",
    blank: { members: { event: "" } },
  },
};

type ValueKind = "scalar" | "order" | "text" | "list" | "date" | "duration" | "none";

interface Operator extends Choice {
  readonly value: ValueKind;
  readonly canIgnoreCase?: true;
  /** A trait may stand in the value's place. */
  readonly canBeTrait?: true;
}

export const OPERATORS: Readonly<Record<string, Operator>> = {
  eq: { title: "is", value: "scalar", canIgnoreCase: true, canBeTrait: true },
  neq: { title: "is not", value: "scalar", canIgnoreCase: true, canBeTrait: true },
  gt: { title: "is more than", value: "order", canBeTrait: true },
  gte: { title: "is at least", value: "order", canBeTrait: true },
  lt: { title: "is less than", value: "order", canBeTrait: true },
  lte: { title: "is at most", value: "order", canBeTrait: true },
  in: { title: "is one of", value: "list", canIgnoreCase: true },
  contains: { title: "contains", value: "scalar", canIgnoreCase: true, canBeTrait: true },
  not_contains: { title: "does not contain", value: "scalar", canIgnoreCase: true, canBeTrait: true },
  starts_with: { title: "begins with", value: "text", canIgnoreCase: true, canBeTrait: true },
  ends_with: { title: "ends with", value: "text", canIgnoreCase: true, canBeTrait: true },
  exists: { title: "is there", value: "none" },
  not_exists: { title: "is not there", value: "none" },
  before: { title: "is before", value: "date", canBeTrait: true },
  after: { title: "is at or after", value: "date", canBeTrait: true },
  within_last: { title: "is in the last", value: "duration", only: "audience" },
  within_next: { title: "is in the next", value: "duration", only: "audience" },
};

/** What a value may be written as, and as what a new one begins. */
export const VALUE_TYPES: Readonly<Record<ValueKind, Readonly<Record<string, unknown>>>> = {
  scalar: { text: "", number: 0, "yes or no": true },
  order: { number: 0, text: "" },
  text: { text: "" },
  list: { texts: [""], numbers: [0] },
  date: { date: "2026-01-31T00:00:00Z" },
  duration: { duration: "30d" },
  none: {},
};

export const TRAIT_TYPE = "a trait";
export const BLANK_TRAIT = { trait: "" };

export const COUNT_OPS = ["gte", "gt", "eq", "lte", "lt"] as const;

/** Of a condition of an audience. */
export const REDUCE_FNS: Readonly<Record<string, string>> = {
  sum: "the sum of",
  avg: "the average of",
  min: "the least of",
  max: "the most of",
  first: "the first of",
  last: "the last of",
  most_frequent: "the most frequent of",
  unique_count: "how many different of",
};

/** Of a computed trait. */
export const TRAIT_FNS: Readonly<Record<string, string>> = {
  count: "how many of them",
  ...REDUCE_FNS,
  unique: "the different ones of",
};

export const BLANK_TRAIT_DEFINITION: Node = { event: "", reduce: { fn: "count" } };

const FOLLOWING = { event: "", within: "1h" };

interface Measure extends KindChoice {
  /** Of `WINDOWS`. */
  readonly windows: readonly string[];
}

const ANY = ["", "within", "between"];
const NEEDED = ["within"];

/** What calls of the name must have done; by the field that says it, none for the first. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  "": { title: "at least once", windows: ANY, blank: {} },
  count: { title: "so many times", windows: ANY, blank: { count: { op: "gte", value: 2 } } },
  reduce: {
    title: "what they come to",
    windows: ANY,
    blank: { reduce: { fn: "sum", path: "properties.total" }, op: "gte", value: 100 },
  },
  first: { title: "for the first time", windows: ANY, blank: { first: true, within: "30d" } },
  afterBreak: {
    title: "again, after a break",
    windows: NEEDED,
    blank: { afterBreak: "90d", within: "7d" },
  },
  stopped: { title: "not any more", windows: [], blank: { stopped: "30d" } },
  followedBy: {
    title: "followed by others",
    windows: NEEDED,
    blank: { followedBy: FOLLOWING, within: "7d" },
  },
  notFollowedBy: {
    title: "not followed by others",
    windows: NEEDED,
    blank: { notFollowedBy: FOLLOWING, within: "7d" },
  },
};

/** When calls count; by the field that says it. */
export const WINDOWS: Readonly<Record<string, KindChoice>> = {
  "": { title: "ever", blank: {} },
  within: { title: "within the last", blank: { within: "30d" } },
  between: { title: "so long ago", blank: { between: ["30d", "90d"] } },
};
