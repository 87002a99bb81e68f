import type { Random } from "#testing";

type Range = readonly [min: number, max: number];

/** How long a world lasts and how much load there is. */
export interface Size {
  /** How long until the calm, seconds. */
  readonly calmS: Range;
  readonly calls: Range;
  /** Where the retry window is short, how short, seconds. */
  readonly windowS: Range;
  /** When a process comes that joins later, ms. */
  readonly joinMs: Range;
}

/** Small worlds find as much for the same time of a machine, or more (docs/develop/simulation.md); what shows only after long, or with much, does in large ones. */
export const SIZES = {
  small: { calmS: [14, 30], calls: [10, 90], windowS: [8, 25], joinMs: [5_000, 20_000] },
  large: { calmS: [30, 75], calls: [60, 400], windowS: [15, 40], joinMs: [5_000, 40_000] },
} as const satisfies Record<string, Size>;

export type SizeName = keyof typeof SIZES;

const LARGE_SHARE = 0.02;

export function drawSize(random: Random): SizeName {
  return random.chance(LARGE_SHARE) ? "large" : "small";
}
