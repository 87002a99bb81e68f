import { setTimeout as pause } from "node:timers/promises";
import type { Ledger } from "./ledger.ts";
import { isSettled } from "./oracle.ts";
import type { Recorder } from "./recorder.ts";
import type { World } from "./world.ts";

/** The window of a call that came last, and a process that ended with it; as long again while endpoints get requests. */
const TIMEOUT_MS = 120_000;
const POLL_MS = 3_000;

/** The ledger once every acknowledged call has ended, or as it is when no endpoint has got a request for long. */
export async function settle(world: World, recorder: Recorder): Promise<Ledger> {
  let requests = -1;
  let giveUpAtMs = 0;
  for (;;) {
    if (recorder.attempts !== requests) {
      // Looking costs too much for a time at which it is plain that something is going on.
      requests = recorder.attempts;
      giveUpAtMs = performance.now() + TIMEOUT_MS;
    } else {
      const ledger = recorder.ledger(await world.deadCalls());
      if (isSettled(ledger) || performance.now() > giveUpAtMs) return ledger;
    }
    await pause(POLL_MS);
  }
}
