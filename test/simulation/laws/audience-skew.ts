import type { Story } from "./story.ts";

/** Between two looks at where calls end. */
const LOOK_MS = 1_000;

/** How far what processes call now lies apart at most, ms. */
export function skewOf({ plan }: Pick<Story, "plan">): number {
  const skews = plan.processes.map(({ skewMs }) => skewMs);
  const apartMs = Math.max(0, ...skews) - Math.min(0, ...skews);
  return apartMs === 0 ? 0 : apartMs + LOOK_MS;
}
