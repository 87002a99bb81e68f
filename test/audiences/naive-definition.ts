// What a definition comes to for one person, computed anew from all of the person's calls. Written from docs/use/audiences.md; shares no code with
// the product.

type Json = Record<string, unknown>;

export interface NaiveCall {
  readonly type: string;
  readonly name: string;
  readonly atMs: number;
  readonly receivedAtMs: number;
  readonly order: number;
  readonly body: Json;
  /** Who has made it, as it says itself; null of an anonymous one. */
  readonly userId: string | null;
}

export interface NaivePerson {
  calls: NaiveCall[];
  readonly lists: Set<string>;
  /** Of an account: by user what it was told last that the user is in, as keys. */
  readonly members?: ReadonlyMap<string, readonly string[]>;
}

const UNITS: Record<string, number> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 };
const duration = (text: unknown): number =>
  Number.parseInt(String(text), 10) * (UNITS[String(text).slice(-1)] ?? 0);
const isDate = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT.*Z$/.test(value);

/** The shortest key that is there; a list has its elements' numbers as keys. */
function get(root: unknown, path: string): unknown {
  if (typeof root !== "object" || root === null) return undefined;
  const parts = path.split(".");
  for (let end = 1; end <= parts.length; end += 1) {
    const key = parts.slice(0, end).join(".");
    if (!Object.hasOwn(root, key) || key === "length") continue;
    const value = (root as Json)[key];
    return end === parts.length ? value : get(value, parts.slice(end).join("."));
  }
  return undefined;
}

/** Whether the operator holds of the value at this moment. */
function holds(op: string, value: unknown, limit: unknown, nowMs: number): boolean {
  if (value === null || value === undefined) return op === "not_exists";
  const isSameType = typeof value === typeof limit && typeof value !== "boolean";
  const [left, right] = [value as number, limit as number];
  const at = isDate(value) ? Date.parse(value) : Number.NaN;
  switch (op) {
    case "eq":
      return value === limit;
    case "neq":
      return value !== limit;
    case "gt":
      return isSameType && left > right;
    case "gte":
      return isSameType && left >= right;
    case "lt":
      return isSameType && left < right;
    case "lte":
      return isSameType && left <= right;
    case "in":
      return (limit as unknown[]).some((one) => one === value);
    case "contains":
      if (typeof value === "string") return typeof limit === "string" && value.includes(limit);
      return Array.isArray(value) && value.includes(limit);
    case "not_contains":
      return !holds("contains", value, limit, nowMs);
    case "starts_with":
      return typeof value === "string" && value.indexOf(String(limit)) === 0;
    case "ends_with":
      return typeof value === "string" && value.slice(-String(limit).length) === limit;
    case "exists":
      return true;
    case "before":
      return at < Date.parse(String(limit));
    case "after":
      return at >= Date.parse(String(limit));
    case "within_last":
      return at <= nowMs && nowMs < at + duration(limit);
    case "within_next":
      return at - duration(limit) <= nowMs && nowMs < at;
    default:
      return false;
  }
}

const isPassing = (op: unknown): boolean => op === "within_last" || op === "within_next";
const inOrder = (calls: readonly NaiveCall[]): NaiveCall[] =>
  calls.toSorted((a, b) => a.atMs - b.atMs || a.receivedAtMs - b.receivedAtMs || a.order - b.order);

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  return [...Map.groupBy(items, keyOf).values()];
}

const lower = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(lower);
  return typeof value === "string" ? value.toLowerCase().replaceAll("ς", "σ") : value;
};

/** As a definition writes it: op, value, and whether case matters. */
function meets(test: Json, value: unknown, nowMs: number, traits: Json): boolean {
  const op = String(test["op"]);
  const limit = isOfTrait(test["value"]) ? get(traits, test["value"].trait) : test["value"];
  if (isOfTrait(test["value"]) && !mayBeLimit(op, limit)) return false;
  const [left, right] = test["ignoreCase"] ? [lower(value), lower(limit)] : [value, limit];
  return holds(op, left, right, nowMs);
}

const isOfTrait = (value: unknown): value is { trait: string } =>
  typeof value === "object" && value !== null && "trait" in value;

/** Whether a definition could have the value beside the operator. */
function mayBeLimit(op: string, value: unknown): boolean {
  const type = typeof value;
  if (op === "before" || op === "after") return isDate(value);
  if (op === "starts_with" || op === "ends_with") return type === "string" && value !== "";
  if (["lt", "lte", "gt", "gte"].includes(op)) return type === "string" || type === "number";
  const isFound = op === "contains" || op === "not_contains";
  return ["string", "number", "boolean"].includes(type) && !(isFound && value === "");
}

/** The calls that count now: one by one where the table says "to the millisecond", else bucket by bucket. */
function counted(leaf: Json, calls: readonly NaiveCall[], nowMs: number, isByValue: boolean): NaiveCall[] {
  const [type, name] = leaf["event"]
    ? ["track", leaf["event"]]
    : leaf["page"]
      ? ["page", leaf["page"]]
      : ["screen", leaf["screen"]];
  const conditions = (leaf["where"] ?? []) as (Json & { path: string; op: string })[];
  const afterMs = leaf["after"] ? Date.parse(String(leaf["after"])) : -Infinity;
  const beforeMs = leaf["before"] ? Date.parse(String(leaf["before"])) : Infinity;
  const traits = naiveTraits({ calls });
  const matching = inOrder(calls).filter(
    (call) =>
      call.type === type &&
      call.name === name &&
      call.atMs >= afterMs &&
      call.atMs < beforeMs &&
      conditions.every((test) => meets(test, get(call.body, test.path), nowMs, traits)),
  );
  const between = leaf["between"] as string[] | undefined;
  const [enterMs, leaveMs] = between
    ? between.map(duration)
    : [0, leaf["within"] ? duration(leaf["within"]) : Infinity];
  const isInside = (firstMs: number, lastMs: number): boolean =>
    firstMs + (enterMs ?? 0) <= nowMs && nowMs < lastMs + (leaveMs ?? 0);
  const path = String((leaf["reduce"] as Json | undefined)?.["path"]);
  const isExact =
    conditions.some(({ op, value }) => isPassing(op) || isOfTrait(value)) || (!leaf["reduce"] && !between);
  const widthMs = Math.ceil(Math.max(((leaveMs ?? 0) - (enterMs ?? 0)) / 60, (leaveMs ?? 0) / 480));
  if (isExact || leaveMs === Infinity) return matching.filter(({ atMs }) => isInside(atMs, atMs));
  const taken = matching.filter(({ body }) => takes(leaf["reduce"] as Json | undefined, get(body, path)));
  const bucket = ({ atMs, body }: NaiveCall): string =>
    `${Math.floor(atMs / widthMs)} ${isByValue ? JSON.stringify(get(body, path)) : ""}`;
  return inOrder(
    groupBy(taken, bucket)
      .filter((group) => isInside(group[0]?.atMs ?? 0, group.at(-1)?.atMs ?? 0))
      .flat(),
  );
}

/** Whether the reducer counts a value at all. */
function takes(reduce: Json | undefined, value: unknown): boolean {
  switch (reduce?.["fn"]) {
    case undefined:
    case "count":
      return true;
    case "sum":
    case "avg":
    case "min":
    case "max":
      return typeof value === "number";
    case "first":
    case "last":
      return value !== undefined && value !== null;
    default:
      return value !== undefined && value !== null && typeof value !== "object";
  }
}

const byText = (a: unknown, b: unknown): number => {
  const [textA, textB] = [String(a), String(b)];
  if (textA === textB) return typeof a === typeof b ? 0 : typeof a === "string" ? -1 : 1;
  return textA < textB ? -1 : 1;
};

/** The value of a computed trait. */
export function naiveTrait(definition: Json, { calls }: NaivePerson, nowMs: number): unknown {
  const reduce = definition["reduce"] as Json;
  const fn = String(reduce["fn"]);
  const isByValue = fn === "unique" || fn === "unique_count" || fn === "most_frequent";
  const values = counted(definition, calls, nowMs, isByValue)
    .map(({ body }) => (fn === "count" ? 0 : get(body, String(reduce["path"]))))
    .filter((value) => takes(reduce, value));
  const numbers = values as number[];
  const sum = numbers.reduce((all, one) => all + one, 0);
  const distinct = [...new Set(values)].sort(byText);
  switch (fn) {
    case "count":
      return values.length;
    case "sum":
      return values.length ? sum : null;
    case "avg":
      return values.length ? sum / values.length : null;
    case "min":
      return values.length ? Math.min(...numbers) : null;
    case "max":
      return values.length ? Math.max(...numbers) : null;
    case "first":
      return values[0] ?? null;
    case "last":
      return values.at(-1) ?? null;
    case "unique":
      return distinct;
    case "unique_count":
      return distinct.length;
    default: {
      const frequency = (one: unknown): number => values.filter((other) => other === one).length;
      const most = Math.max(0, ...distinct.map(frequency));
      return most < 2 ? null : distinct.find((one) => frequency(one) === most);
    }
  }
}

export function naiveTraits({ calls }: { readonly calls: readonly NaiveCall[] }): Json {
  const traits: Json = {};
  for (const { body, type } of inOrder(calls)) if (type === "identify") Object.assign(traits, body["traits"]);
  return Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== null));
}

/** From the table of how calls follow each other. */
function naiveHistory(node: Json, { calls }: NaivePerson, nowMs: number): boolean {
  const { after, afterBreak, before, between, first, stopped, within, ...named } = node;
  const timesOf = (leaf: Json): number[] => counted(leaf, calls, nowMs, false).map(({ atMs }) => atMs);
  const ever = timesOf(named);
  if (first) {
    const [atMs = Number.NaN] = ever;
    const [enterMs = 0, leaveMs = Infinity] = within
      ? [0, duration(within)]
      : ((between as string[]) ?? []).map(duration);
    const isDated =
      !(after && atMs < Date.parse(String(after))) && !(before && atMs >= Date.parse(String(before)));
    return isDated && atMs + enterMs <= nowMs && nowMs < atMs + leaveMs;
  }
  const dated = timesOf({ ...named, after, before });
  const last = dated.at(-1);
  if (stopped) return last !== undefined && last + duration(stopped) <= nowMs;
  return dated.some((atMs, place) => {
    const previous = dated[place - 1];
    const isAgain = previous !== undefined && previous + duration(afterBreak) <= atMs;
    return isAgain && nowMs < atMs + duration(within);
  });
}

function naiveSequence(node: Json, { calls }: NaivePerson, nowMs: number): boolean {
  const { followedBy, notFollowedBy, within, ...first } = node;
  const { within: delay, ...next } = (followedBy ?? notFollowedBy) as Json;
  const timesOf = (leaf: Json): number[] => counted(leaf, calls, nowMs, false).map(({ atMs }) => atMs);
  const nextTimes = timesOf(next);
  return timesOf(first).some((atMs) => {
    const isFollowed = nextTimes.some((one) => atMs < one && one < atMs + duration(delay));
    const isInside = nowMs < atMs + duration(within);
    return isInside && (followedBy ? isFollowed : !isFollowed && atMs + duration(delay) <= nowMs);
  });
}

/** How many users meet it by what each has done. Their calls are counted in buckets, however few are asked for. */
function naiveMembers(node: Json, { calls, members = new Map() }: NaivePerson, nowMs: number): number {
  const meetsIt = (of: Json, user: string): boolean => {
    const parts = (of["all"] ?? of["any"]) as Json[] | undefined;
    if (of["not"]) return !meetsIt(of["not"] as Json, user);
    if (of["all"]) return (parts ?? []).every((part) => meetsIt(part, user));
    if (of["any"]) return (parts ?? []).some((part) => meetsIt(part, user));
    if (of["audience"]) return members.get(user)?.includes(String(of["audience"])) ?? false;
    const own = calls.filter(({ userId }) => userId === user);
    const inBuckets = { ...of, reduce: { fn: "count" } };
    return countHolds(of["count"], counted(inBuckets, own, nowMs, false).length, nowMs);
  };
  const users = new Set([...calls.flatMap(({ userId }) => userId ?? []), ...members.keys()]);
  return [...users].filter((user) => meetsIt(node, user)).length;
}

function countHolds(count: unknown, happened: number, nowMs: number): boolean {
  const { op, value } = (count ?? { op: "gte", value: 1 }) as { op: string; value: number };
  return holds(op, happened, value, nowMs);
}

/** Whether the person meets the audience's definition; `named` answers for audiences that it names. */
export function naiveMember(
  node: Json,
  person: NaivePerson,
  nowMs: number,
  named: (key: string) => unknown,
): boolean {
  const parts = (node["all"] ?? node["any"]) as Json[] | undefined;
  const isMet = (part: Json): boolean => naiveMember(part, person, nowMs, named);
  if (node["all"]) return (parts ?? []).every(isMet);
  if (node["any"]) return (parts ?? []).some(isMet);
  if (node["not"]) return !isMet(node["not"] as Json);
  if (node["audience"]) return named(String(node["audience"])) === true;
  if (node["computedTrait"])
    return meets(node, named(String(node["computedTrait"])), nowMs, naiveTraits(person));
  if (node["trait"])
    return meets(node, get(naiveTraits(person), String(node["trait"])), nowMs, naiveTraits(person));
  if (node["first"] || node["stopped"] || node["afterBreak"]) return naiveHistory(node, person, nowMs);
  if (node["followedBy"] || node["notFollowedBy"]) return naiveSequence(node, person, nowMs);
  if (node["reduce"]) return meets(node, naiveTrait(node, person, nowMs), nowMs, naiveTraits(person));
  if (node["members"])
    return countHolds(node["count"], naiveMembers(node["members"] as Json, person, nowMs), nowMs);
  return countHolds(node["count"], counted(node, person.calls, nowMs, false).length, nowMs);
}
