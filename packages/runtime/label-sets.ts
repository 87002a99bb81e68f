/** Labels are bounded enums (never a URL, an event name, a user): more series than this in one metric is a mistake. */
const MAX_SERIES = 400;

/** Label name to every value it can take. */
export type LabelSpec = Readonly<Record<string, readonly string[]>>;
export type Labels<L extends LabelSpec> = { readonly [K in keyof L]: L[K][number] };

/** Every combination of a metric's declared label values. A metric keeps its numbers in arrays in this order. */
export interface LabelSets {
  readonly all: readonly Readonly<Record<string, string>>[];
  /** The place of `labels` in `all`; throws for a value that is not declared. */
  indexOf(labels: Readonly<Record<string, string>>): number;
}

interface Label {
  readonly name: string;
  readonly indexes: ReadonlyMap<string, number>;
}

export function createLabelSets(spec: LabelSpec): LabelSets {
  const labels: Label[] = Object.entries(spec).map(([name, values]) => ({
    name,
    indexes: new Map(values.map((value, index) => [value, index])),
  }));
  return { all: combinations(labels), indexOf: (set) => indexOf(labels, set) };
}

/** The last label varies fastest. */
function combinations(labels: readonly Label[]): Record<string, string>[] {
  let all: Record<string, string>[] = [{}];
  for (const { name, indexes } of labels) {
    all = all.flatMap((set) => [...indexes.keys()].map((value) => ({ ...set, [name]: value })));
  }
  if (all.length > MAX_SERIES)
    throw new RangeError(`${all.length} series in one metric: labels must be bounded`);
  return all;
}

function indexOf(labels: readonly Label[], set: Readonly<Record<string, string>>): number {
  let place = 0;
  for (const { name, indexes } of labels) {
    const index = indexes.get(set[name] ?? "");
    if (index === undefined) throw new RangeError(`${name}="${set[name]}" is not a declared label value`);
    place = place * indexes.size + index;
  }
  return place;
}
