// The worst filters, audiences and bodies that are still taken (packages/audiences/definition/limits.ts).

const MAX_SEARCHES = 100;
const MAX_SPACE_SEARCHES = 2_000;
const MAX_SPACE_CONDITIONS = 10_000;
const MAX_LEAVES = 50;
const CONDITIONS_A_LEAF = 20;
const EVENT = "Read";

type Condition = Readonly<Record<string, unknown>>;

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Matches nearly everywhere in a text of one letter, and nowhere. */
function search(index: number): Condition {
  const value = `${"a".repeat(480)}${String(index).padStart(6, "0")}${"a".repeat(500)}`;
  return { path: "properties.text", op: "not_contains", value };
}

function comparison(index: number): Condition {
  return { path: "properties.text", op: "neq", value: `b${index}` };
}

/** Calls of one name, with so many conditions, each of which holds: all of them are looked at. */
function leaves(from: number, count: number, condition: (index: number) => Condition): object[] {
  return numbers(Math.ceil(count / CONDITIONS_A_LEAF)).map((leaf) => {
    const first = from + leaf * CONDITIONS_A_LEAF;
    const where = numbers(Math.min(CONDITIONS_A_LEAF, from + count - first)).map((at) =>
      condition(first + at),
    );
    return { event: EVENT, where };
  });
}

export const worstFilter = (index: number): object => ({
  all: leaves(index * MAX_SEARCHES, MAX_SEARCHES, search),
});

const SHORT_TEXTS = 100;

/** A text of its own for each condition, each of which nearly matches: every one is indexed. */
export const shortTextsFilter = (): object => ({
  all: leaves(0, SHORT_TEXTS, (index) => ({
    path: `properties.text${index}`,
    op: "not_contains",
    value: `${"a".repeat(250)}b`,
  })),
});

/** What it looks into: as many as a call has room for. */
export const shortTexts = (index: number): object =>
  Object.fromEntries(
    numbers(SHORT_TEXTS).map((at) => [`text${at}`, `${"a".repeat(255)}${SHORT_TEXTS * index + at}`]),
  );

/** As deep as conditions on properties can look: a call may nest 64 levels. */
const DEEP_PATH = `properties${".k".repeat(60)}`;
const DEEP_TEXT = "a".repeat(240);

/** Each condition goes down to a text that begins as it says, and has other letters. */
export const deepFilter = (index: number, leafCount = MAX_LEAVES): object => ({
  all: leaves(index * MAX_LEAVES * CONDITIONS_A_LEAF, leafCount * CONDITIONS_A_LEAF, deepCondition),
});

/** Audiences share leaves that say the same: one condition of each says something else. */
function deepCondition(index: number): Condition {
  return index % CONDITIONS_A_LEAF === 0
    ? { path: DEEP_PATH, op: "neq", value: `${DEEP_TEXT}${index}` }
    : { path: DEEP_PATH, op: "starts_with", value: DEEP_TEXT };
}

export const deepProperties = (): object =>
  numbers(60).reduce<unknown>((k) => ({ k }), `${DEEP_TEXT}€`) as object;

const CHOICES = numbers(499).map((index) => `value ${index}`);

/** What the call says is the last of the choices. */
export const LAST_CHOICE = CHOICES.at(-1);

/** Each condition has all the choices that it may have. */
export const choicesFilter = (index: number): object => ({
  all: leaves(index * 60, 60, (at) => ({
    path: "properties.choice",
    op: "in",
    value: [`list ${at}`, ...CHOICES],
  })),
});

/** As many values as a body of the control API has room for: what a filter costs when it is first read. */
export function longestFilter(bytes: number): object {
  const value = numbers(500).map((index) => `value ${index}`);
  const one = { path: "properties.text", op: "in", value };
  const length = Math.floor(bytes / JSON.stringify(one).length);
  return {
    any: numbers(Math.ceil(length / CONDITIONS_A_LEAF)).map(() => ({
      event: EVENT,
      where: numbers(CONDITIONS_A_LEAF).map(() => one),
    })),
  };
}

/** Definitions of audiences which ask a call for as many searches as all of them may, together. */
export function spaceOfSearches(): object[] {
  return numbers(MAX_SPACE_SEARCHES / MAX_SEARCHES).map(worstFilter);
}

/** The same with conditions of `where`. */
export function spaceOfConditions(): object[] {
  const each = 1_000 - 50;
  return numbers(Math.floor(MAX_SPACE_CONDITIONS / 1_000)).map((index) => ({
    all: leaves(index * each, each, comparison),
  }));
}

/** The same with conditions that only count. */
export function spaceOfCounts(): object[] {
  return numbers(MAX_SPACE_CONDITIONS / 50).map((index) => ({
    all: numbers(50).map((at) => ({
      event: EVENT,
      count: { op: "gte", value: 1 + ((index * 50 + at) % 1_000_000) },
    })),
  }));
}

/** As long as a call may be, of one letter; `index` makes it another. */
export const worstProperties = (index: number): object => ({ text: `${index} ${"a".repeat(31_000)}` });
