// What happens in a world of audiences beside calls: audiences are edited, paused, resumed and deleted, users are imported, suppressed and deleted, there
// are computed traits, clocks differ, and compacted logs are cleaned.

import type { Random } from "#testing";
import { EPOCH_MS } from "#testing/host";
import type { AudienceConfig } from "#topics";
import { configOf, type Definition, FROM_CALLS } from "./draw-audiences.ts";
import { drawProfileWrites, LIST } from "./draw-profile-writes.ts";
import { drawRegulations } from "./draw-regulations.ts";
import type { AudienceWrite, Fault, Plan, ProcessPlan } from "./plan.ts";

/** In so many worlds somebody changes audiences. */
const CHANGED_SHARE = 0.7;
/** So long before the calm the last change is made. */
const QUIET_MS = 3_000;
const EARLIEST_MS = 5_000;
const BETWEEN_MS = 50;
/** As control keeps them. */
const MAX_EARLIER = 5;

/** In so many worlds there are computed traits, lists and deleted users, clocks that differ, compaction. */
const TRAITS_SHARE = 0.4;
const SKEWED_SHARE = 0.2;
const COMPACTED_SHARE = 0.3;
const MAX_SKEW_MS = 3_000;

const A60 = { event: "A", within: "60s" };

/** Some keep the values in buckets of a second, some look back on the log. */
const TRAITS: readonly [Definition, ...Definition[]] = [
  { event: "A", reduce: { fn: "count" } },
  { ...A60, reduce: { fn: "count" } },
  { ...A60, reduce: { fn: "sum", path: "properties.n" } },
  { event: "A", reduce: { fn: "max", path: "properties.n" } },
  { ...A60, reduce: { fn: "unique_count", path: "properties.n" } },
  { ...A60, reduce: { fn: "last", path: "properties.n" } },
];

/** The same world, in which more happens than calls. */
export function withChanges(plan: Plan, random: Random): Plan {
  const writes = drawProfileWrites(plan, random.split("profiles"));
  const regulations = drawRegulations(plan, random.split("regulations"));
  const isListed = writes.some(({ list }) => list !== undefined);
  const lists = isListed ? [{ id: LIST, atMs: 1, config: listConfig() }] : [];
  const audiences = withVersions(plan, isListed, random.split("versions"));
  const traits = drawTraits(plan, random.split("traits"));
  return {
    ...plan,
    audiences: [...lists, ...audiences, ...traits],
    profileWrites: [...writes, ...regulations],
    processes: withSkews(plan.processes, random.split("clocks")),
    faults: [...plan.faults, ...drawCleanings(plan, random.split("cleanings"))],
  };
}

function listConfig(): AudienceConfig {
  return { ...configOf(LIST, {}, 1), kind: "list", definition: null };
}

function drawTraits(plan: Plan, random: Random): AudienceWrite[] {
  if (!random.chance(TRAITS_SHARE)) return [];
  const atMs = random.chance(0.3) ? random.between(EARLIEST_MS, plan.timing.calmMs - QUIET_MS) : 1;
  const config: AudienceConfig = { ...configOf("t1", random.pick(TRAITS), atMs), kind: "trait" };
  const edited = random.chance(0.4) ? random.between(atMs + BETWEEN_MS, plan.timing.calmMs) : undefined;
  const first = { id: "t1", atMs, config };
  if (edited === undefined) return [first];
  const definition = JSON.stringify(random.pick(TRAITS));
  if (definition === config.definition) return [first];
  const earlier = [{ definition: config.definition ?? "", generation: 1 }];
  const next = { ...config, definition, generation: 2, earlier, updatedAtMs: EPOCH_MS + edited };
  return [first, { id: "t1.2", atMs: edited, config: next }];
}

/**
 * No processor's clock is behind that of ingest: a call of the future counts as of now, which is known to nobody else. Processors may differ
 * by as much.
 */
function withSkews(processes: readonly ProcessPlan[], random: Random): readonly ProcessPlan[] {
  if (!random.chance(SKEWED_SHARE)) return processes;
  return processes.map((each) => {
    const aheadMs = random.split(each.name).between(0, MAX_SKEW_MS);
    return { ...each, skewMs: each.service === "ingest" ? -aheadMs : aheadMs };
  });
}

function drawCleanings({ timing }: Plan, random: Random): Fault[] {
  if (!random.chance(COMPACTED_SHARE)) return [];
  return Array.from({ length: random.between(1, 3) }, (_, index): Fault => {
    const atMs = random.between(EARLIEST_MS, timing.calmMs - QUIET_MS);
    return { id: `z${index + 1}`, kind: "compaction", atMs, forMs: 1 };
  });
}

function withVersions(
  { audiences, timing }: Plan,
  isListed: boolean,
  random: Random,
): readonly AudienceWrite[] {
  if (!random.chance(CHANGED_SHARE)) return audiences;
  return audiences.flatMap((first, index) => {
    const own = random.split(first.id);
    const count = own.pick([0, 1, 1, 2, 3, 5]);
    // Of those that come before an audience it may be named.
    const mayEnd = index > 0 || audiences.length === 1;
    const times = Array.from({ length: count }, () =>
      own.between(Math.max(EARLIEST_MS, first.atMs + BETWEEN_MS), timing.calmMs - QUIET_MS),
    ).sort((one, other) => one - other);
    return versionsOf(first, { times, mayEnd, isListed, random: own });
  });
}

interface Drawing {
  readonly times: readonly number[];
  readonly mayEnd: boolean;
  /** There is a list that it may name. */
  readonly isListed: boolean;
  readonly random: Random;
}

function versionsOf(first: AudienceWrite, drawing: Drawing): AudienceWrite[] {
  const { mayEnd, times } = drawing;
  const versions = [first];
  for (const [index, atMs] of times.entries()) {
    const before = versions.at(-1) ?? first;
    if (before.config.deletedAtMs !== null) break;
    const isLast = index === times.length - 1;
    const writtenAtMs = Math.max(atMs, before.atMs + BETWEEN_MS);
    const changed = changeOf(before.config, { ...drawing, mayEnd: mayEnd && isLast });
    const hasTrackCalls = drawing.random.split(`sends ${index}`).chance(0.15) !== before.config.hasTrackCalls;
    const config = { ...before.config, ...changed, hasTrackCalls, updatedAtMs: EPOCH_MS + writtenAtMs };
    versions.push({ id: `${first.id}.${versions.length + 1}`, atMs: writtenAtMs, config: ended(config) });
  }
  return versions;
}

/** A deletion's moment is when it was written. */
function ended(config: AudienceConfig): AudienceConfig {
  return config.deletedAtMs === null ? config : { ...config, deletedAtMs: config.updatedAtMs };
}

function changeOf(config: AudienceConfig, drawing: Drawing): Partial<AudienceConfig> {
  const { mayEnd, random } = drawing;
  const end = (isExitAll: boolean) => (): Partial<AudienceConfig> => ({ deletedAtMs: 0, isExitAll });
  const toggle = (): Partial<AudienceConfig> => ({ isPaused: !config.isPaused });
  const edit = (): Partial<AudienceConfig> => edited(config, drawing);
  const lasting = config.isPaused ? [toggle, toggle, toggle, edit] : [edit, edit, edit, toggle];
  const all = mayEnd ? [...lasting, end(false), end(true), end(true)] : lasting;
  return all[random.between(0, all.length - 1)]?.() ?? {};
}

/** As control does it: another definition is another generation, and those of before hold on until it is prepared. */
function edited(config: AudienceConfig, { isListed, random }: Drawing): Partial<AudienceConfig> {
  const named = { any: [{ audience: LIST }, { event: "B", within: "60s" }] };
  const isNaming = isListed && random.chance(0.4);
  const definition = JSON.stringify(isNaming ? named : random.pick(FROM_CALLS));
  const { earlier, generation } = config;
  if (config.definition === null || definition === config.definition) return {};
  const kept = [{ definition: config.definition, generation }, ...earlier].slice(0, MAX_EARLIER);
  return { definition, generation: generation + 1, earlier: kept };
}
