// Which lists people upload, in worlds of members, and what goes wrong around that.

import type { Random } from "#testing";
import { EPOCH_MS } from "#testing/host";
import { configOf } from "./draw-audiences.ts";
import { drawMemberFaults } from "./draw-member-faults.ts";
import { isLinking, LIST } from "./draw-profile-writes.ts";
import type { AudienceWrite, ImportPlan, Plan } from "./plan.ts";

/** In so many worlds. */
const SHARE = 0.5;
/** Nobody names it, so it may be paused and deleted. */
const OTHER_LIST = "l2";
const NAMING = "n1";

const EARLIEST_MS = 5_000;
/** So long before the calm the last list is uploaded. */
const QUIET_MS = 6_000;
/** Two at once, of which neither was answered when the other was asked for; or one while the one before is under way. */
const SOON_MS: readonly [number, ...number[]] = [50, 4_000];
const CONFIRMED_AFTER_MS = 4_000;

/** A fast one is applied some hundred milliseconds after it was uploaded. */
const NEAR_MS = { from: -300, to: 2_500 };

/** Members a second: at the slow ones an import is under way when something happens. */
const RATES = [5_000, 20, 2, 1] as const;
const MODES = ["replace", "replace", "replace", "add", "remove"] as const;
/** They do nothing but be on lists. */
const LISTED = ["listed-1", "listed-2", "listed-3", "listed-4", "listed-5"] as const;

/** The same world, in which people upload lists over the control API, or the world as it was. */
export function withImports(plan: Plan, random: Random): Plan {
  const { audiences, faults, members, processes, timing } = plan;
  if (members === undefined || !random.chance(SHARE)) return plan;
  const imports = drawImports(plan, random.split("uploads"));
  const drawn = { processes, wishes: imports, nearMs: NEAR_MS, timing };
  const more = drawMemberFaults({ ...drawn, random: random.split("faults") });
  return {
    ...plan,
    audiences: [...drawLists(plan, imports, random.split("lists")), ...audiences],
    faults: [...faults, ...more.map((each) => ({ ...each, id: `u${each.id}` }))],
    members: { ...members, imports, importChangesPerSecond: random.split("pace").pick(RATES) },
  };
}

function drawImports(plan: Plan, random: Random): ImportPlan[] {
  const { timing } = plan;
  const latestMs = timing.calmMs - QUIET_MS;
  const users = usersOf(plan);
  const imports: ImportPlan[] = [];
  for (let index = 0, count = random.between(1, 3); index < count; index += 1) {
    const own = random.split(`upload ${index}`);
    const before = imports.at(-1);
    const soonMs = (before?.atMs ?? EARLIEST_MS) + own.between(0, own.pick(SOON_MS));
    const isSoon = before !== undefined && own.chance(0.5);
    const atMs = Math.min(isSoon ? soonMs : own.between(EARLIEST_MS, latestMs), latestMs);
    // The second upload of an id changes nothing, but where the first one was refused.
    const isSameId = before !== undefined && own.chance(0.1);
    imports.push({
      id: `u${index + 1}`,
      atMs,
      audienceId: isSameId ? before.audienceId : own.pick([LIST, LIST, LIST, OTHER_LIST]),
      importId: isSameId ? before.importId : `import-${index + 1}`,
      ...drawRows(users, own),
      confirmsAfterMs: own.chance(0.7) ? own.between(0, CONFIRMED_AFTER_MS) : undefined,
    });
  }
  return imports;
}

/** An empty list is held, and has to be confirmed; a wrong row refuses all of them. */
function drawRows(users: readonly string[], random: Random) {
  const isEmpty = random.chance(0.15);
  const share = random.pick([0.3, 0.6, 0.9]);
  return {
    mode: random.pick(MODES),
    userIds: isEmpty ? [] : users.filter((user) => random.split(user).chance(share)),
    format: random.pick(["csv", "ndjson"]),
    hasWrongRow: !isEmpty && random.chance(0.1),
  } as const;
}

/** Those who are linked to somebody are left out: whose lists are theirs is chance then. */
function usersOf(plan: Plan): readonly string[] {
  const calling = isLinking(plan) ? [] : [...new Set(plan.calls.map(({ userId }) => userId)), "nobody"];
  return [...calling.sort(), ...LISTED];
}

/** The lists, and in half of the worlds an audience that names one. */
function drawLists(plan: Plan, imports: readonly ImportPlan[], random: Random): AudienceWrite[] {
  const isThere = plan.audiences.some(({ id }) => id === LIST);
  const hasOther = imports.some(({ audienceId }) => audienceId === OTHER_LIST);
  const named = { any: [{ audience: LIST }, { event: "B", within: "60s" }] };
  return [
    ...(isThere ? [] : [listWrite(LIST)]),
    ...(hasOther ? withEnd(listWrite(OTHER_LIST), plan, random.split("other")) : []),
    ...(random.chance(0.5) ? [{ id: NAMING, atMs: 2, config: configOf(NAMING, named, 2) }] : []),
  ];
}

function listWrite(id: string): AudienceWrite {
  return { id, atMs: 1, config: { ...configOf(id, {}, 1), kind: "list", definition: null } };
}

/** Some are paused, resumed or deleted, silently or not. */
function withEnd(first: AudienceWrite, { timing }: Plan, random: Random): AudienceWrite[] {
  const atMs = random.between(EARLIEST_MS, timing.calmMs - QUIET_MS);
  const later = (number: number, writtenAtMs: number, changes: Partial<AudienceWrite["config"]>) => ({
    id: `${first.id}.${number}`,
    atMs: writtenAtMs,
    config: { ...first.config, ...changes, updatedAtMs: EPOCH_MS + writtenAtMs },
  });
  const paused = later(2, atMs, { isPaused: true });
  const resumed = later(3, atMs + random.between(100, 3_000), { isPaused: false });
  const deleted = later(2, atMs, { deletedAtMs: EPOCH_MS + atMs, isExitAll: random.chance(0.5) });
  return [first, ...random.pick([[], [], [paused, resumed], [paused, resumed], [deleted]])];
}
