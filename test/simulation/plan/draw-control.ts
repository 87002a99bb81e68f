import type { Random } from "#testing";
import type { DestinationPlan, Fault, FaultKind, Plan, ProcessPlan, ReplayPlan, Timing } from "./plan.ts";
import type { SizeName } from "./size.ts";

/** So many worlds have control processes: of the small ones fewer, which take twice the time with them. */
const SHARES: Readonly<Record<SizeName, number>> = { small: 0.125, large: 0.25 };

/** Some calls have died by then. */
const EARLIEST_MS = 10_000;
/** Dead letters are told of once a minute, so that one may be held so long after the last one came. */
export const HELD_MS = 75_000;

/** The same world with control processes, dead letters for them, and who asks for replays; in most worlds nothing changes. */
export function withControl(plan: Plan, size: SizeName, random: Random): Plan {
  if (!random.chance(SHARES[size])) return plan;
  const processes = drawControlProcesses(random.split("processes"));
  const replays = drawReplays(plan, random.split("replays"));
  const faults = drawReplayFaults({
    processes,
    replays,
    timing: plan.timing,
    random: random.split("faults"),
  });
  return {
    ...plan,
    timing: { ...plan.timing, endMs: plan.timing.endMs + HELD_MS },
    processes: [...plan.processes, ...processes],
    scripts: withRejections(plan, random.split("rejections")),
    replays,
    faults: [...plan.faults, ...faults],
  };
}

export function drawControlProcesses(random: Random): ProcessPlan[] {
  return Array.from({ length: random.pick([1, 2, 2]) }, (_, index) => ({
    name: `control-${index + 1}`,
    service: "control",
    startMs: index > 0 && random.chance(0.4) ? random.between(5_000, 40_000) : random.between(0, 500),
    skewMs: random.chance(0.3) ? random.between(-2_000, 2_000) : 0,
  }));
}

/** The first endpoint refuses calls for good for a while, where nothing else is said of it. */
function withRejections({ scripts, timing }: Plan, random: Random): Plan["scripts"] {
  const startMs = random.between(5_000, 20_000);
  const endMs = Math.min(timing.calmMs, startMs + random.between(1_000, 10_000));
  return scripts.map((script, index) => {
    if (index > 0) return script;
    const rejecting = { id: "e1.r", startMs, endMs, behaviour: { kind: "rejecting" } } as const;
    return { ...script, phases: [...script.phases, rejecting] };
  });
}

function drawReplays({ destinations, timing }: Plan, random: Random): ReplayPlan[] {
  return Array.from({ length: random.between(1, 4) }, (_, index) => {
    const own = random.split(`replay ${index}`);
    const atMs = own.between(EARLIEST_MS, timing.calmMs - 1_000);
    return {
      id: `r${index + 1}`,
      atMs,
      destinationId: ofDestination(destinations, own),
      ...drawSelection(atMs, own),
      callsPerSecond: own.pick([undefined, 5, 10, 20, 40]),
      cancelAfterMs: own.chance(0.3) ? own.between(50, 8_000) : undefined,
    };
  });
}

/** Mostly of the first, which has dead letters. */
function ofDestination(destinations: readonly DestinationPlan[], random: Random): string {
  const index = random.chance(0.7) ? 0 : Math.floor(random.next() * destinations.length);
  return destinations[index]?.id ?? "";
}

function drawSelection(atMs: number, random: Random): Pick<ReplayPlan, "letters" | "sinceMs"> {
  if (random.chance(0.25)) return { letters: random.between(1, 30), sinceMs: undefined };
  return { letters: undefined, sinceMs: random.chance(0.2) ? random.between(0, atMs) : undefined };
}

/** What goes wrong while somebody waits for replays. */
interface FaultsDrawn {
  readonly processes: readonly ProcessPlan[];
  readonly replays: readonly ReplayPlan[];
  readonly timing: Timing;
  readonly random: Random;
}

/** Most of them while a replay is under way. */
export function drawReplayFaults({ processes, replays, timing: { calmMs }, random }: FaultsDrawn): Fault[] {
  return Array.from({ length: random.pick([0, 1, 2, 3]) }, (_, index) => {
    const own = random.split(`fault ${index}`);
    const replay = replays[Math.floor(own.next() * replays.length)];
    const wantedMs =
      replay !== undefined && own.chance(0.7)
        ? replay.atMs + own.between(0, 5_000)
        : own.between(EARLIEST_MS, calmMs);
    const atMs = Math.min(wantedMs, calmMs - 2_000);
    const forMs = Math.min(own.between(50, 1_000) * own.pick([1, 3, 10]), calmMs - atMs);
    return { id: `cf${index + 1}`, atMs, forMs, ...drawKind(processes, own) };
  });
}

function drawKind(processes: readonly ProcessPlan[], random: Random): FaultKind {
  const target = processes[Math.floor(random.next() * processes.length)]?.name ?? "";
  return random.pick<() => FaultKind>([
    () => ({ kind: "kill", target, afterEvents: random.between(0, 60), losesDisk: random.chance(0.3) }),
    () => ({ kind: "kill", target, afterEvents: random.between(0, 60), losesDisk: random.chance(0.3) }),
    () => ({ kind: "stop", target }),
    () => ({ kind: "stop", target }),
    () => ({ kind: "freeze", target }),
    () => ({ kind: "cut", target }),
    () => ({ kind: "clock", target, byMs: random.between(-120_000, 120_000) }),
  ])();
}
