import type { Plan } from "./plan.ts";

/** What of a plan can be left out, by id: faults, bad times of endpoints, changes of the configuration, wishes, replays, regulations, audiences, imports and deletions. */
export function partsOf({
  audiences,
  changes,
  faults,
  members,
  profileWrites,
  replays,
  scripts,
  wishes,
}: Plan): string[] {
  const phases = scripts.flatMap((script) => script.phases);
  const asked = [...wishes, ...replays, ...(members?.regulations ?? []), ...(members?.imports ?? [])];
  return [...faults, ...phases, ...changes, ...asked, ...audiences, ...profileWrites].map(({ id }) => id);
}

/** The same plan without these parts of it. All else stays as it was. */
export function leaveOut(plan: Plan, without: ReadonlySet<string>): Plan {
  const stays = ({ id }: { readonly id: string }): boolean => !without.has(id);
  return {
    ...plan,
    audiences: plan.audiences.filter(stays),
    changes: plan.changes.filter(stays),
    faults: plan.faults.filter(stays),
    profileWrites: plan.profileWrites.filter(stays),
    replays: plan.replays.filter(stays),
    ...(plan.members !== undefined && {
      members: {
        ...plan.members,
        regulations: plan.members.regulations.filter(stays),
        imports: plan.members.imports.filter(stays),
      },
    }),
    wishes: plan.wishes.filter(stays),
    scripts: plan.scripts.map((script) => ({ ...script, phases: script.phases.filter(stays) })),
  };
}
