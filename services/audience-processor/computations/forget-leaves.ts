// All profiles of a partition, one after the other: what is left in them of an earlier time of leaves that begin anew goes.
import { forgetLeaf, type LeafUse, type Profile } from "#audiences";
import { type StretchParts, TermEndedError } from "./log-stretch.ts";

/** While so many wait to be written no more are changed. */
const MAX_UNWRITTEN = 512;
/** Profiles of one turn of the event loop. */
const PROFILES_A_TURN = 64;
const WAIT_MS = 50;

export type PassParts = Pick<StretchParts, "host" | "signal" | "worker">;

/** Resolves once it is durable that nothing is left. */
export async function forgetLeaves(parts: PassParts, uses: readonly LeafUse[]): Promise<void> {
  await changeProfiles(parts, (profile) =>
    uses.map(({ plan }) => forgetLeaf(profile, plan.leaf.key)).includes(true),
  );
}

/** Resolves once all profiles of the partition were looked at, and what `change` has changed, and said of it, is durable and sent. */
export async function changeProfiles(parts: PassParts, change: (profile: Profile) => boolean): Promise<void> {
  const { host, worker } = parts;
  const { term } = worker;
  for (let ids = someKeys(worker); ids.length > 0; ids = someKeys(worker, ids.at(-1))) {
    for (const id of ids) {
      for (
        let profile = worker.load(id);
        profile !== undefined && "then" in profile;
        profile = worker.load(id)
      )
        await profile;
      const profile = worker.peek(id);
      if (profile !== undefined && change(profile)) worker.change(profile);
    }
    await host.delay(0);
    while (worker.unwritten > MAX_UNWRITTEN) await waitInTerm(parts, term);
    if (worker.term !== term) throw new TermEndedError("what was not durable is forgotten");
  }
  let isDurable = false;
  worker.whenDurable(() => {
    isDurable = true;
  });
  while (!isDurable) await waitInTerm(parts, term);
}

/** Those of the next turn: to list all of a partition with a million profiles holds up the event loop for seconds. */
function someKeys({ store }: Pick<PassParts["worker"], "store">, after?: string): string[] {
  const ids: string[] = [];
  for (const id of store.keys(after)) if (ids.push(id) === PROFILES_A_TURN) break;
  return ids;
}

/** Waits a little; rejects when the partition is lost, or what was not durable was forgotten. */
export async function waitInTerm({ host, signal, worker }: PassParts, term: number): Promise<void> {
  await host.delay(WAIT_MS);
  if (signal.aborted || worker.term !== term) throw new TermEndedError("the partition is not ours any more");
}
