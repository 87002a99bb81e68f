/** The number of kinds told apart within one period; a bound on memory, far above what a person reads. */
const MAX_KINDS = 10_000;

/**
 * Lets one line of a kind through per period, so that an endpoint that fails a thousand times a second is one line with a
 * count. Returns how many were held back since the last one, or undefined to hold this one back too.
 */
export function createLogLimit(periodMs: number, nowMs: () => number): (kind: string) => number | undefined {
  let kinds = new Map<string, { untilMs: number; heldBack: number }>();
  return (kind) => {
    const now = nowMs();
    const known = kinds.get(kind);
    // A clock that was set back does not silence it for as long.
    if (known !== undefined && now < known.untilMs && known.untilMs - now <= periodMs) {
      known.heldBack += 1;
      return undefined;
    }
    if (kinds.size >= MAX_KINDS) kinds = new Map();
    kinds.set(kind, { untilMs: now + periodMs, heldBack: 0 });
    return known?.heldBack ?? 0;
  };
}
