/** Chance that is the same for the same seed. */
export interface Random {
  /** From 0 up to, not including, 1. */
  readonly next: () => number;
  /** A whole number, both ends included. */
  readonly between: (min: number, max: number) => number;
  readonly shuffled: <T>(items: readonly T[]) => T[];
}

/** 32 bits of a number, mixed: the step of the mulberry32 generator. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), value | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}

/** A number from 0 up to 1 that depends on nothing but its arguments. */
export function chanceOf(seed: number, index: number): number {
  return mix(mix(seed + 0x6d2b79f5) + Math.imul(index + 1, 0x9e3779b1)) / 2 ** 32;
}

export function seeded(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    return mix(state) / 2 ** 32;
  };
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, place: next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ item }) => item);
  return { next, between, shuffled };
}
