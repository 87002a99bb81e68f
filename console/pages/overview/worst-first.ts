// The order of destinations that fail: by how many requests have failed, then by how long they fail; from numbers alone.

interface Failing {
  readonly id: string;
  readonly health: { readonly since: string | null };
}

interface Counts {
  readonly all: number;
  readonly success: number;
}

/** One that gets no requests, as its endpoint is down, comes behind those of which some failed. */
export function worstFirst<F extends Failing>(
  rows: readonly F[],
  counts: ReadonlyMap<string, Counts>,
): readonly F[] {
  const failedOf = ({ id }: F): number => {
    const { all, success } = counts.get(id) ?? { all: 0, success: 0 };
    return all - success;
  };
  const sinceOf = ({ health: { since } }: F): string => since ?? "";
  return rows.toSorted(
    (one, other) => failedOf(other) - failedOf(one) || (sinceOf(one) < sinceOf(other) ? -1 : 1),
  );
}
