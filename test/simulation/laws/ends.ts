import { law } from "./story.ts";

/** Once nothing goes wrong any more, everything is through within the time that the plan states. */
export const everythingDrains = law("everything is through in time", ({ drainedAtMs, leftOver, plan }) => {
  if (drainedAtMs !== undefined) return [];
  return [`${plan.timing.endMs - plan.timing.calmMs} ms after the last fault there is left: ${leftOver}`];
});

/** With everything through, nothing is counted as under way. */
export const countersReturnToZero = law("counters return to zero", function* ({ drainedAtMs, remainders }) {
  if (drainedAtMs === undefined) return;
  for (const { gauges, process } of remainders) {
    for (const [gauge, value] of Object.entries(gauges)) {
      if (value !== 0) yield `${process} shows ${gauge} ${value} with everything through`;
    }
  }
});
