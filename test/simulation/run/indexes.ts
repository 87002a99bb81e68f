import { inRealEvent } from "#testing/host";
import type { IndexShown } from "../laws/story.ts";
import type { Desk, Fleet } from "../world/fleet.ts";
import type { World } from "../world/world.ts";

const DAY_MS = 86_400_000;
/** An answer comes within four seconds, or says that it does not know. */
const ANSWERED_WITHIN_MS = 5_000;
const STEP_MS = 10;

/** What control can look up, and what it says waits; where routers record nothing it is not asked. */
export async function indexesOf(world: World, fleet: Fleet): Promise<IndexShown[]> {
  const waiting = world.plan.recordsCalls ? await waitingOf(world, fleet) : undefined;
  const reading = fleet.desks.filter(({ process }) => !process.isStopping);
  const shown = reading.map(async ({ control, process }) => ({
    process: process.name,
    deadLetters: control.deliveries.index.countDeadLetters({}),
    counted: await countedIn(control),
    waiting: waiting?.get(process.name),
  }));
  return Promise.all(shown);
}

/** Calls, by process; none of one that does not know. Time goes on for no longer than they take: a late copy may still come, and would have to be indexed. */
async function waitingOf({ time }: World, fleet: Fleet): Promise<ReadonlyMap<string, number>> {
  const waiting = new Map<string, number>();
  let asked = 0;
  for (const { control, process } of fleet.desks) {
    asked += 1;
    void control.waitingCounter.count().then((found) => {
      asked -= 1;
      const calls = found?.counts.reduce((sum, each) => sum + each.calls, 0);
      if (calls !== undefined) waiting.set(process.name, calls);
    });
  }
  const lateAtMs = time.nowMs + ANSWERED_WITHIN_MS;
  while (asked > 0 && time.nowMs < lateAtMs) await inRealEvent(() => time.runUntil(time.nowMs + STEP_MS));
  return waiting;
}

/** A world lasts for less than a day, so no step begins before. */
async function countedIn({ deliveries, nowMs }: Desk["control"]): Promise<Record<string, number>> {
  const range = { fromMs: nowMs() - 7 * DAY_MS, toMs: nowMs() + DAY_MS, stepMs: DAY_MS };
  const counted: Record<string, number> = {};
  for (const { calls, reason, stage } of await deliveries.index.sumFlow(range)) {
    const cell = `${stage} ${reason}`.trim();
    counted[cell] = (counted[cell] ?? 0) + calls;
  }
  return counted;
}
