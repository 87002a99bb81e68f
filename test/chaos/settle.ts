import { setTimeout as pause } from "node:timers/promises";
import type { Ledger } from "./ledger.ts";
import { isSettled } from "./oracle.ts";
import type { Recorder } from "./recorder.ts";
import type { World } from "./world.ts";

/** The window of a call that came last, a process that ended with it, and a backlog; as long again while calls go on ending. */
const TIMEOUT_MS = 120_000;
const POLL_MS = 3_000;

/** The ledger once every acknowledged call has ended, or as it is when nothing has ended for long. */
export async function settle(world: World, recorder: Recorder): Promise<Ledger> {
  let fewestOpen = Number.POSITIVE_INFINITY;
  let giveUpAtMs = 0;
  for (;;) {
    const ledger = recorder.ledger(await world.deadCalls());
    if (isSettled(ledger)) return ledger;
    if (recorder.open < fewestOpen) {
      fewestOpen = recorder.open;
      giveUpAtMs = performance.now() + TIMEOUT_MS;
    }
    if (performance.now() > giveUpAtMs) return ledger;
    await pause(POLL_MS);
  }
}
