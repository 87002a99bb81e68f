import type { Random } from "#testing";
import type { Fault, FaultKind, ProcessPlan, RequestFault } from "./plan.ts";

/** How long a storm lasts, ms. */
const LASTS_MS = { from: 2_000, to: 8_000 };

/** The moment of a storm, and on whom it falls. */
export interface Storm {
  readonly startMs: number;
  /** Nothing of it lasts beyond. */
  readonly calmMs: number;
  /** Of one service. */
  readonly processes: readonly ProcessPlan[];
  readonly random: Random;
}

/**
 * One service in trouble for some seconds, with everything at once, as in a roll-out that goes wrong: a member that comes and goes while
 * requests are slow or refused. Faults that are drawn over the whole run meet so seldom.
 */
export function drawStorm({ calmMs, processes, random, startMs }: Storm): Fault[] {
  const endMs = Math.min(calmMs, startMs + random.between(LASTS_MS.from, LASTS_MS.to));
  const names = processes.map(({ name }) => name);
  const target = pickName(names, random);
  const other = pickName(
    names.filter((name) => name !== target),
    random,
  );
  const faults: Fault[] = [];
  const add = (kind: FaultKind, atMs: number, forMs: number): void => {
    const at = Math.min(Math.max(startMs, atMs), endMs);
    faults.push({ id: `s${faults.length + 1}`, atMs: at, forMs: Math.min(forMs, calmMs - at), ...kind });
  };
  for (let count = random.between(1, 2); count > 0; count -= 1)
    add(
      { ...drawTrouble(random), only: random.chance(0.6) ? other : undefined },
      startMs + random.between(0, 1_000),
      endMs - startMs,
    );
  let atMs = startMs + random.between(0, 1_000);
  for (let count = random.between(0, 6); count > 0 && target !== undefined; count -= 1) {
    add({ kind: "stop", target }, atMs, random.between(20, 400));
    atMs += random.between(200, 1_500);
  }
  if (target !== undefined && random.chance(0.3))
    add(
      { kind: "kill", target, afterEvents: random.between(0, 60), losesDisk: random.chance(0.5) },
      atMs,
      500,
    );
  return faults;
}

function pickName(names: readonly string[], random: Random): string | undefined {
  return names[Math.floor(random.next() * names.length)];
}

function drawTrouble(random: Random): RequestFault {
  const share = 0.3 + random.next() * 0.7;
  const [what, how] = random.pick<[RequestFault["what"], RequestFault["how"]]>([
    ["old_read", "late"],
    ["old_read", "late"],
    ["read", "late"],
    ["read", "lost"],
    ["produce", "rejected"],
    ["produce", "rejected"],
    ["produce", "late"],
    ["group", "late"],
    ["commit", "lost"],
  ]);
  return { kind: "requests", what, how, share };
}
