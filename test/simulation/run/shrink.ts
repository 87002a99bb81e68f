import { leaveOut, partsOf } from "../plan/leave-out.ts";
import type { Plan } from "../plan/plan.ts";

/**
 * Which parts of a plan that fails can be left out with it failing all the same: first many at once, then one by one. `fails` runs a
 * plan.
 */
export async function shrink(
  plan: Plan,
  fails: (plan: Plan) => Promise<boolean>,
): Promise<readonly string[]> {
  let without: readonly string[] = [];
  for (
    let size = Math.ceil(partsOf(plan).length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (const some of piecesOf(partsOf(leaveOut(plan, new Set(without))), size)) {
      const tried = [...without, ...some];
      if (await fails(leaveOut(plan, new Set(tried)))) without = tried;
    }
  }
  return without;
}

function piecesOf(parts: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(parts.length / size) }, (_, index) =>
    parts.slice(index * size, (index + 1) * size),
  );
}
