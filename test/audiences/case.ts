// What the oracle property is asked of: audiences and computed traits of any shape, and what happens to a handful of people.
import fc from "fast-check";

export const START_MS = 1_700_000_000_000;

type Json = Record<string, unknown>;

export interface CaseComputation {
  readonly id: string;
  readonly key: string;
  readonly includeAnonymous: boolean;
  readonly kind: "audience" | "trait" | "list";
  /** As a caller would write it. */
  readonly definition: Json;
  /** Of an audience or list: what goes with each change. */
  readonly sends?: { readonly hasTrackCalls: boolean; readonly traits: readonly string[] } | undefined;
}

export interface CaseIds {
  readonly userId: string | null;
  readonly anonymousId: string | null;
}

export type Step =
  | {
      readonly kind: "call";
      readonly ids: CaseIds;
      readonly type: string;
      readonly name: string;
      readonly lateMs: number;
      readonly data: Json;
      /** The account that it names. */
      readonly groupId?: string | undefined;
    }
  /** The call of an earlier step again; one that does not say when it was made is given the time at which it comes. */
  | { readonly kind: "copy"; readonly of: number; readonly isStamped: boolean }
  | { readonly kind: "alias"; readonly from: string; readonly to: string }
  | { readonly kind: "delete"; readonly userId: string }
  | { readonly kind: "list"; readonly userId: string; readonly isMember: boolean }
  | { readonly kind: "suppress"; readonly userId: string; readonly isSuppressed: boolean }
  | { readonly kind: "clock"; readonly ms: number }
  /** Time passes while the processor is away. */
  | { readonly kind: "away"; readonly ms: number }
  /** To the next deadline of anyone, or just before or after it. */
  | { readonly kind: "deadline"; readonly besideMs: number }
  /** Anonymous ids go that nobody has used for so long. */
  | { readonly kind: "expire"; readonly unusedMs: number }
  /** Every profile goes through its record. */
  | { readonly kind: "reload" };

export interface Case {
  readonly computations: readonly CaseComputation[];
  readonly steps: readonly Step[];
}

const pick = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const date = fc
  .integer({ min: -12, max: 30 })
  .map((turn) => new Date(START_MS + turn * 15_000).toISOString());
const number = fc.integer({ min: -8, max: 40 }).map((quarters) => quarters / 4);
const text = pick("", "a", "ab", "b", "B", "5");

const properties = fc.record(
  {
    n: fc.oneof({ weight: 4, arbitrary: number }, { weight: 1, arbitrary: pick<unknown>("5", null, true) }),
    s: fc.oneof(
      { weight: 4, arbitrary: text },
      { weight: 1, arbitrary: pick<unknown>(5, null, ["a"], { x: "a" }) },
    ),
    d: fc.oneof({ weight: 5, arbitrary: date }, { weight: 1, arbitrary: pick<unknown>("soon", 5) }),
    tags: fc.array(pick<unknown>("a", "b", "B", { x: "a" }), { maxLength: 2 }),
    "s.x": text,
    "s.x.y": text,
  },
  { requiredKeys: [] },
);

const testOf: fc.Arbitrary<[string, Json]> = fc.oneof(
  fc.tuple(
    pick("n", "s"),
    fc.record({ op: pick("gt", "gte", "lt", "lte"), value: fc.oneof(number, pick("a", "b")) }),
  ),
  fc.tuple(pick("n", "s"), fc.record({ op: pick("eq", "neq"), value: fc.oneof(number, text, fc.boolean()) })),
  fc.tuple(
    pick("s", "n"),
    fc.record({ op: pick("in"), value: fc.array(fc.oneof(number, text), { minLength: 1, maxLength: 3 }) }),
  ),
  fc.tuple(pick("s", "tags"), fc.record({ op: pick("contains", "not_contains"), value: pick("a", "b") })),
  fc.tuple(
    pick("s", "tags"),
    fc.oneof(
      fc.record({
        op: pick("eq", "neq", "contains", "not_contains", "starts_with", "ends_with"),
        value: pick("a", "B", "Ab"),
        ignoreCase: fc.boolean(),
      }),
      fc.record({
        op: pick("in"),
        value: fc.array(pick("A", "b"), { minLength: 1 }),
        ignoreCase: fc.constant(true),
      }),
    ),
  ),
  fc.tuple(
    pick("s", "s.x", "s.x.y", "tags.0", "tags.1.x"),
    fc.record({ op: pick("starts_with", "ends_with"), value: pick("a", "b") }),
  ),
  fc.tuple(pick("s", "n", "d", "s.x", "s.x.y", "tags.1"), fc.record({ op: pick("exists", "not_exists") })),
  fc.tuple(pick("d"), fc.record({ op: pick("before", "after"), value: date })),
  fc.tuple(pick("d"), fc.record({ op: pick("within_last", "within_next"), value: pick("60s", "2m") })),
);

/** Properties and traits have the same names: each is compared with each. */
const againstTrait: fc.Arbitrary<[string, Json]> = fc
  .tuple(
    pick("n", "s", "tags", "d"),
    pick("eq", "neq", "lt", "lte", "gt", "gte", "contains", "not_contains", "starts_with", "ends_with"),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: pick("before", "after") },
    ),
    pick("n", "s", "d", "tags"),
    fc.boolean(),
  )
  .map(([path, op, dated, trait, ignoreCase]) => {
    const isOfText = !["lt", "lte", "gt", "gte"].includes(op);
    const value = { trait: dated === undefined ? trait : "d" };
    if (dated !== undefined) return ["d", { op: dated, value }];
    return [path, { op, value, ...(isOfText && ignoreCase && { ignoreCase }) }];
  });

/** Mostly none: with conditions few calls count, and nothing happens. */
const where = fc
  .oneof(
    { weight: 3, arbitrary: fc.constant<[string, Json][]>([]) },
    { weight: 2, arbitrary: fc.array(testOf, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(fc.oneof(againstTrait, testOf), { minLength: 1, maxLength: 2 }) },
  )
  .map((tests) => tests.map(([path, test]) => ({ path: `properties.${path}`, ...test })));

const window = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: fc.record({ within: pick("60s", "90s", "2m", "5m") }) },
  {
    weight: 2,
    arbitrary: pick({ between: ["30s", "90s"] }, { between: ["1m", "3m"] }, { between: ["10s", "2m"] }),
  },
  { weight: 1, arbitrary: fc.record({ after: date }) },
  { weight: 1, arbitrary: fc.record({ before: date, within: pick("3m") }) },
);

const named = fc.oneof(
  { weight: 4, arbitrary: pick<Json>({ event: "A" }, { event: "A" }, { event: "B" }) },
  { weight: 1, arbitrary: pick<Json>({ page: "A" }, { screen: "A" }) },
);

const count = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 3,
    arbitrary: fc.record({
      count: fc.record({
        op: pick("gt", "gte", "lt", "lte", "eq", "eq"),
        value: fc.integer({ min: 0, max: 3 }),
      }),
    }),
  },
);

const occurrences = fc
  .tuple(named, where, window)
  .map(([name, conditions, span]): Json => ({ ...name, ...span, where: conditions }));

/** Judged once, when the call comes. */
const lastingWhere = fc
  .array(
    testOf.filter(([, { op }]) => !String(op).startsWith("within")),
    { maxLength: 1 },
  )
  .map((tests) => tests.map(([path, test]) => ({ path: `properties.${path}`, ...test })));

const dates = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ after: date }) },
  { weight: 1, arbitrary: fc.record({ before: date }) },
);

/** How calls follow each other. */
const historyLeaf = fc
  .tuple(
    named,
    fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: lastingWhere }),
    fc.oneof(
      window.filter((span) => Object.keys(span).length > 0).map((span): Json => ({ ...span, first: true })),
      fc.tuple(dates, pick("60s", "90s")).map(([span, stopped]): Json => ({ ...span, stopped })),
      fc
        .tuple(dates, pick("60s", "2m", "5m"), pick("60s", "90s"))
        .map(([span, within, afterBreak]): Json => ({ ...span, within, afterBreak })),
    ),
  )
  .map(([one, conditions, ask]): Json => ({ ...one, where: conditions, ...ask }));

const sequenceLeaf = fc
  .tuple(named, named, fc.array(lastingWhere, { minLength: 2, maxLength: 2 }), dates)
  .chain(([first, second, [where = [], nextWhere = []], span]) =>
    fc
      .record({
        within: pick("2m", "5m"),
        delay: pick("60s", "90s"),
        field: pick("followedBy", "notFollowedBy"),
      })
      .map(({ delay, field, within }): Json => {
        const next = { ...second, where: nextWhere, within: delay };
        return { ...first, ...span, where, within, [field]: next };
      }),
  );

const eventLeaf = fc.tuple(occurrences, count).map(([one, more]): Json => ({ ...one, ...more }));
const traitLeaf = fc
  .oneof({ weight: 3, arbitrary: testOf }, { weight: 1, arbitrary: againstTrait })
  .map(([path, test]): Json => ({ trait: path, ...test }));

const reduceNumbers = fc.record({ fn: pick("sum", "avg", "min", "max"), path: fc.constant("properties.n") });

const numberTest = fc.oneof(
  fc.record({ op: pick("gt", "gte", "lt", "lte", "eq", "neq"), value: number }),
  fc.record({ op: pick("in"), value: fc.array(number, { minLength: 1, maxLength: 3 }) }),
);

/** What the calls come to is compared. */
const reducedLeaf = fc
  .tuple(
    occurrences,
    fc.oneof(
      fc.tuple(
        reduceNumbers,
        fc.record({
          op: pick("gt", "gte", "lt", "lte", "eq", "neq"),
          value: pick({ trait: "n" }, { trait: "s" }),
        }),
      ),
      fc.tuple(reduceNumbers, fc.oneof(numberTest, fc.record({ op: pick("exists", "not_exists") }))),
      fc.tuple(
        fc.record({ fn: fc.constant("unique_count"), path: pick("properties.s", "properties.n") }),
        numberTest,
      ),
      fc
        .tuple(pick("first", "last", "most_frequent"), testOf)
        .map(([fn, [path, test]]): [Json, Json] => [{ fn, path: `properties.${path}` }, test]),
    ),
  )
  .map(([one, [fn, test]]): Json => ({ ...one, reduce: fn, ...test }));

/** Tests of whatever a computed trait may have as its value. */
const computedLeaf = (traits: readonly string[]): fc.Arbitrary<Json> =>
  fc
    .tuple(
      pick(...traits),
      fc.oneof(
        numberTest,
        testOf.map(([, test]) => test),
        againstTrait.map(([, test]) => test),
      ),
    )
    .map(([computedTrait, test]): Json => ({ computedTrait, ...test }));

/** Of one member: at least once somewhere, or those who have done nothing would meet it. */
const memberCondition: fc.Arbitrary<Json> = fc
  .tuple(
    fc.tuple(named, lastingWhere, window),
    fc.tuple(named, lastingWhere, window, count),
    pick("once", "count", "all", "any", "not", "audience", "beside", "without"),
    pick("audience_0", "audience_0", "list"),
    fc.record({ op: pick("gte", "eq"), value: fc.integer({ min: 1, max: 3 }) }),
  )
  .map(([[one, where, span], [other, otherWhere, otherSpan, more], kind, audience, often]): Json => {
    const first = { ...one, ...span, where };
    const second = { ...other, ...otherSpan, where: otherWhere };
    if (kind === "audience") return { audience };
    if (kind === "beside") return { any: [{ audience }, { all: [{ audience: "list" }, first] }] };
    if (kind === "without") return { all: [first, { not: { audience } }] };
    if (kind === "once") return first;
    if (kind === "count") return { ...first, count: often };
    if (kind === "all") return { all: [first, { ...second, ...more }] };
    if (kind === "any") return { any: [{ ...first, count: often }, second] };
    return { all: [{ not: { ...second, count: often } }, first] };
  });

const membersLeaf: fc.Arbitrary<Json> = fc
  .tuple(memberCondition, count)
  .map(([members, more]): Json => ({ members, ...more }));

interface Named {
  /** Conditions on members have accounts alone. */
  readonly ofAccounts?: boolean;
  readonly audiences: readonly string[];
  readonly lists: readonly string[];
  readonly traits: readonly string[];
}

const leafNaming = ({ audiences, lists, ofAccounts = false, traits }: Named): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: traits.length > 0 ? 2 : 0, arbitrary: computedLeaf(traits.length > 0 ? traits : [""]) },
    { weight: 5, arbitrary: eventLeaf },
    { weight: ofAccounts ? 8 : 0, arbitrary: membersLeaf },
    { weight: 2, arbitrary: reducedLeaf },
    { weight: 2, arbitrary: historyLeaf },
    { weight: 2, arbitrary: sequenceLeaf },
    { weight: 3, arbitrary: traitLeaf },
    {
      weight: audiences.length > 0 ? 1 : 0,
      arbitrary: pick(...(audiences.length > 0 ? [...audiences, ...lists] : [""])).map(
        (audience): Json => ({ audience }),
      ),
    },
  );

const groupNaming = (named: Named): fc.Arbitrary<Json> => {
  const leaf = leafNaming(named);
  const node = fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: leaf.map((not): Json => ({ not })) },
    { weight: 1, arbitrary: fc.array(leaf, { minLength: 1, maxLength: 2 }).map((any): Json => ({ any })) },
  );
  return fc
    .tuple(pick("all", "any"), fc.array(node, { minLength: 1, maxLength: 3 }))
    .map(([kind, of]): Json => ({ everyone: true, [kind]: of }));
};

const keys = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${kind}_${index}`);

const sends = fc.option(
  fc.record({
    hasTrackCalls: fc.boolean(),
    traits: fc.uniqueArray(pick("n", "s", "d", "tags", "s.x", "none"), { maxLength: 3 }),
  }),
  { nil: undefined, freq: 3 },
);

const audience = (index: number, traits: number): fc.Arbitrary<CaseComputation> =>
  fc.record({
    id: fc.constant(`aud_${index}`),
    key: fc.constant(`audience_${index}`),
    includeAnonymous: fc.boolean(),
    kind: fc.constant("audience" as const),
    definition: groupNaming({
      audiences: keys("audience", index),
      lists: ["list"],
      traits: keys("trait", traits),
    }),
    sends,
  });

const OF_ACCOUNTS = { of: "accounts" };

const accountAudience = (index: number, traits: number): fc.Arbitrary<CaseComputation> =>
  fc.record({
    id: fc.constant(`acc_${index}`),
    key: fc.constant(`acc_${index}`),
    includeAnonymous: fc.constant(false),
    kind: fc.constant("audience" as const),
    definition: groupNaming({
      ofAccounts: true,
      audiences: keys("acc", index),
      lists: [],
      traits: keys("atr", traits),
    }).map((one): Json => ({ ...one, ...OF_ACCOUNTS })),
    sends,
  });

const reduce = fc.oneof(
  fc.constant({ fn: "count" }),
  reduceNumbers,
  fc.record({
    fn: pick("first", "last", "unique", "unique_count", "most_frequent"),
    path: pick("properties.s", "properties.n"),
  }),
);

const trait = (index: number, prefix = "trait", more: Json = {}): fc.Arbitrary<CaseComputation> =>
  fc.record({
    id: fc.constant(`${prefix}_${index}`),
    key: fc.constant(`${prefix}_${index}`),
    includeAnonymous: fc.constant(false),
    kind: fc.constant("trait" as const),
    definition: fc.tuple(occurrences, reduce).map(([one, fn]): Json => ({ ...more, ...one, reduce: fn })),
  });

/** In half of the cases there is something of accounts, too. */
const ofAccounts: fc.Arbitrary<CaseComputation[]> = fc
  .record({ audiences: pick(0, 0, 1, 2), traits: pick(0, 1) })
  .chain(({ audiences, traits }) =>
    fc.tuple(
      ...Array.from({ length: audiences }, (_, index) => accountAudience(index, traits)),
      ...Array.from({ length: traits }, (_, index) => trait(index, "atr", OF_ACCOUNTS)),
    ),
  );

const LIST: CaseComputation = {
  id: "list",
  key: "list",
  includeAnonymous: false,
  kind: "list",
  definition: {},
  sends: { hasTrackCalls: true, traits: ["s"] },
};

const user = pick("u1", "u1", "u2");
const anonymous = pick("x1", "x1", "x2");

const ids: fc.Arbitrary<CaseIds> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ userId: user, anonymousId: fc.constant(null) }) },
  { weight: 3, arbitrary: fc.record({ userId: fc.constant(null), anonymousId: anonymous }) },
  { weight: 1, arbitrary: fc.record({ userId: user, anonymousId: anonymous }) },
);

/** Late ones share their times with others: they are rounded where they are applied. */
const lateMs = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 200_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -20_000, max: 0 }) },
);

const call = fc.record({
  kind: fc.constant("call" as const),
  ids,
  type: pick("track", "track", "track", "track", "track", "identify", "identify", "page", "screen", "group"),
  name: pick("A", "A", "A", "B"),
  lateMs,
  data: properties,
  groupId: fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: pick("g1", "g1", "g2") },
  ),
});

/** Mostly short: in a window there is to be more than one call. */
const fewSeconds = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 10_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 90_000 }) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: call },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("copy" as const), of: fc.nat(12), isStamped: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("alias" as const), from: pick("u1", "u2", "x1"), to: user }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), userId: user }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("list" as const), userId: user, isMember: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("suppress" as const),
      userId: user,
      isSuppressed: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("clock" as const), ms: fewSeconds }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("away" as const), ms: fewSeconds }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("deadline" as const), besideMs: pick(-1, 0, 0, 1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("expire" as const), unusedMs: pick(1_000, 15_000, 60_000) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "reload" as const }) },
);

export const anyCase: fc.Arbitrary<Case> = fc
  .record({ audiences: fc.integer({ min: 1, max: 3 }), traits: fc.integer({ min: 0, max: 2 }) })
  .chain(({ audiences, traits }) =>
    fc.record({
      computations: fc
        .tuple(
          fc.tuple(...Array.from({ length: audiences }, (_, index) => audience(index, traits))),
          fc.tuple(...Array.from({ length: traits }, (_, index) => trait(index))),
          ofAccounts,
        )
        .map(([first, second, third]) => [...first, ...second, ...third, LIST]),
      steps: fc.array(step, { minLength: 5, maxLength: 50 }),
    }),
  );
