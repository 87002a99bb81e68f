// Gives one destination the members that there were when it was connected, and the values of computed traits. What is left behind when the
// process dies, line by line:
//
//   begun → 2 s, in which the router knows the destination → what is given next (1) → calls → looked at again (2) → what is given next → … → done (3)
//
//   (1) What is given next is noted before it is written. Who goes on looks in the log which of it was: that is looked at again as in (2), the
//       rest is read anew and given.
//   (2) A membership that has changed is sent by the router, under the id of that change. Only where the router's call stands before the
//       older one written here is it sent once more, under an id of its own: a receiver would take the older one for the last word. The
//       profiles are read to their end first, and again until nothing has changed. A correction is noted before it is written, too.
//       What a connection is unsure of when it ends the next one gives under ids of their own (doubts.ts).
//   (3) What was paused is waited for. Once it is resumed the destination is given what that has for it, from the first profile on.
//
// `begun`, progress and `done` are the destination's record, acknowledged. None is written behind one of another process.
import type { ConnectionSync } from "#topics";
import { begun, changed, hasLeft, isHeldBack, resumed, taking } from "./sync.ts";
import type { SyncWork } from "./sync-work.ts";
import { Syncing } from "./syncing.ts";

/** Whether what was paused is resumed, and whether the destination still takes it. */
const LOOK_EVERY_MS = 1_000;

/** Resolves when the destination has what it is to have, or with `signal`. */
export async function workOn(id: string, work: SyncWork, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const known = work.store.get(id);
    const config = taking(work.destination(id), work.left(id));
    const isOver = config === undefined || (known !== undefined && hasLeft(known, config, work.left(id)));
    if (known?.isConnected === true && isOver) {
      const after = changed(known, { isConnected: false }, work.nowMs());
      await work.store.replace({ before: known, after });
      continue;
    }
    if (config === undefined) return;
    if (known?.isConnected === true && known.isDone) {
      if (known.heldBackIds.length === 0) return;
      await resume(known, work, signal);
      continue;
    }
    const sync = known?.isConnected === true ? known : begun(config, work.nowMs(), known);
    if (sync !== known) await work.store.replace({ before: known, after: sync });
    await new Syncing(sync, work, signal).run();
  }
}

/** Once something that was held back is not paused any more, or is gone, that is noted; until then it looks now and then. */
async function resume(known: ConnectionSync, work: SyncWork, signal: AbortSignal): Promise<void> {
  const ids = known.heldBackIds.filter((id) => !isHeldBack(work.audience(id)));
  if (ids.length === 0) await work.host.delay(LOOK_EVERY_MS, signal);
  else await work.store.replace({ before: known, after: resumed(known, ids, work.nowMs()) });
}
