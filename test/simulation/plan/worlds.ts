import { drawPlan } from "./draw.ts";
import { drawAudiencePlan } from "./draw-audiences.ts";
import type { Plan } from "./plan.ts";
import type { SizeName } from "./size.ts";

/** What worlds are about: calls on their way to endpoints, or audiences that calls make. */
export const WORLDS = ["deliveries", "audiences"] as const;

export type Worlds = (typeof WORLDS)[number];

/** Which world it is. */
export interface WorldName {
  readonly seed: number;
  readonly worlds: Worlds;
  /** Of deliveries; undefined: as the seed decides. Worlds of audiences have one size. */
  readonly size?: SizeName | undefined;
}

export function planOf({ seed, size, worlds }: WorldName): Plan {
  return worlds === "audiences" ? drawAudiencePlan(seed) : drawPlan(seed, size);
}
