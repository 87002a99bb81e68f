import { inRealEvent } from "#testing/host";
import type { ListShown } from "../laws/story.ts";
import type { Desk, Fleet } from "../world/fleet.ts";
import type { World } from "../world/world.ts";

/** Control's copy of the profiles is two seconds old at most: it has by then what the last clerk's wish came to. */
const COPIED_WITHIN_MS = 3_000;
/** Their disks answer by then. */
const ANSWERED_WITHIN_MS = 1_000;

/** Who is on the imported lists by each control process that knows all profiles; in the worlds in which lists are uploaded, which go on meanwhile. */
export async function listsOf({ plan, time }: World, fleet: Fleet): Promise<ListShown[]> {
  const imports = plan.members?.imports ?? [];
  if (imports.length === 0) return [];
  const listIds = [...new Set(imports.map(({ audienceId }) => audienceId))];
  await inRealEvent(() => time.runUntil(time.nowMs + COPIED_WITHIN_MS));
  const shown: ListShown[] = [];
  const asked = fleet.desks.filter(
    ({ control, process }) => control.profiles.isLoaded && !process.isStopping,
  );
  for (const desk of asked)
    void listed(desk).then((lists) => {
      for (const listId of listIds)
        shown.push({ process: desk.process.name, listId, profileIds: lists.get(listId) ?? new Set() });
    });
  await inRealEvent(() => time.runUntil(time.nowMs + ANSWERED_WITHIN_MS));
  return shown;
}

/** By list. */
async function listed({ control: { profiles } }: Desk): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const all = new Map<string, Set<string>>();
  for (let partition = 0; partition < profiles.partitions; partition += 1)
    for (const id of profiles.ids(partition)) {
      const state = await profiles.sentOf(partition, id);
      if (state === undefined || state.redirectTo !== null) continue;
      for (const listId of state.lists) all.set(listId, (all.get(listId) ?? new Set()).add(id));
    }
  return all;
}
