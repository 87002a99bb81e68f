import type { Random } from "#testing";
import type { Plan } from "./plan.ts";

/** In so many worlds. */
const SHARE = 1 / 6;

/** The same world, in which some destinations have delays, or a window, of their own. None is shorter than the installation's shortest. */
export function withSchedules(plan: Plan, random: Random): Plan {
  if (!random.chance(SHARE)) return plan;
  const { timing } = plan;
  const shortestMs = Math.min(...timing.retryDelaysMs);
  const destinations = plan.destinations.map((destination) => {
    if (!random.chance(0.7)) return destination;
    const delays = Array.from({ length: random.between(1, 4) }, () => shortestMs + random.between(0, 15_000));
    return {
      ...destination,
      ...(random.chance(0.8) && { retryDelaysMs: delays }),
      ...(random.chance(0.3) && { retryWindowMs: random.between(8, 25) * 1_000 }),
    };
  });
  const longestMs = Math.max(...destinations.flatMap(({ retryDelaysMs = [] }) => retryDelaysMs), 0);
  return { ...plan, destinations, timing: { ...timing, endMs: timing.endMs + 2 * longestMs } };
}
