import type { Behaviour, Random, Script } from "#testing";
import type { CallPlan, Fault, FaultKind, Plan, ProcessPlan } from "./plan.ts";

/** In so many small worlds. */
const SHARE = 0.12;

const DOWN_FROM_MS = { from: 4_500, to: 6_000 };
const DOWN_FOR_MS = { from: 1_500, to: 4_000 };
/** How long it takes only some of its calls then. */
const HALF_FOR_MS = { from: 5_000, to: 12_000 };
/** Then it is well again, and waits that began before are still under way. */
const STILL_WAITING_MS = 5_000;
const CALLS = { from: 30, to: 80 };

interface Comeback {
  readonly downAtMs: number;
  readonly backAtMs: number;
  readonly wellAtMs: number;
}

/** The same world in which an endpoint comes back half, and the deliverers come and go meanwhile; in most worlds nothing changes. */
export function withComeback(plan: Plan, random: Random): Plan {
  const [first, ...others] = plan.scripts;
  if (first === undefined || !random.chance(SHARE)) return plan;
  const downAtMs = random.between(DOWN_FROM_MS.from, DOWN_FROM_MS.to);
  const backAtMs = downAtMs + random.between(DOWN_FOR_MS.from, DOWN_FOR_MS.to);
  const comeback = {
    downAtMs,
    backAtMs,
    wellAtMs: backAtMs + random.between(HALF_FOR_MS.from, HALF_FOR_MS.to),
  };
  const { timing } = plan;
  const longerMs = Math.max(0, comeback.wellAtMs + STILL_WAITING_MS - timing.calmMs);
  return {
    ...plan,
    timing: { ...timing, calmMs: timing.calmMs + longerMs, endMs: timing.endMs + longerMs },
    scripts: [comingBack(first, comeback, random.split("script")), ...others],
    calls: withCalls(plan.calls, comeback, random.split("calls")),
    faults: [...plan.faults, ...drawFaults(plan.processes, comeback, random.split("faults"))],
  };
}

/** Down, then up with some of its requests left without an answer, then well. What else was said of it comes after that. */
function comingBack(script: Script, { backAtMs, downAtMs, wellAtMs }: Comeback, random: Random): Script {
  const down = random.pick<Behaviour>([
    { kind: "unavailable", retryAfterS: undefined },
    { kind: "resetting" },
    { kind: "refusing_connections" },
  ]);
  const half: Behaviour = { kind: "faltering", share: 0.1 + random.next() * 0.3 };
  return {
    ...script,
    phases: [
      { id: "e1.d", startMs: downAtMs, endMs: backAtMs, behaviour: down },
      { id: "e1.h", startMs: backAtMs, endMs: wellAtMs, behaviour: half },
      ...script.phases.filter(({ startMs }) => startMs >= wellAtMs),
    ],
  };
}

/** More calls while it is down, of many users, so that every partition has some that wait. */
function withCalls(calls: readonly CallPlan[], { backAtMs, downAtMs }: Comeback, random: Random): CallPlan[] {
  const more = Array.from({ length: random.between(CALLS.from, CALLS.to) }, (_, index): CallPlan => {
    return {
      messageId: `b${index + 1}`,
      userId: `v${random.between(1, 30)}`,
      type: "track",
      atMs: random.between(downAtMs, backAtMs),
      againAfterMs: undefined,
    };
  });
  return [...calls, ...more].sort((one, other) => one.atMs - other.atMs);
}

/** What a deliverer has in hand goes with it, or to another that does not know what it had. */
function drawFaults(
  processes: readonly ProcessPlan[],
  { backAtMs, wellAtMs }: Comeback,
  random: Random,
): Fault[] {
  const deliverers = processes.filter(({ service }) => service === "deliverer");
  const faults: Fault[] = [];
  const strike = (atMs: number): void => {
    const forMs = Math.min(random.between(50, 2_000), wellAtMs + STILL_WAITING_MS - atMs);
    const target = deliverers[Math.floor(random.next() * deliverers.length)]?.name ?? "";
    faults.push({ id: `b${faults.length + 1}`, atMs, forMs, ...drawBlow(target, random) });
  };
  for (let count = random.between(0, 2); count > 0; count -= 1)
    strike(random.between(backAtMs + 500, wellAtMs));
  if (faults.length === 0 || random.chance(0.6))
    strike(wellAtMs + random.between(100, STILL_WAITING_MS - 500));
  return faults;
}

function drawBlow(target: string, random: Random): FaultKind {
  return random.pick<() => FaultKind>([
    () => ({ kind: "kill", target, afterEvents: random.between(0, 60), losesDisk: false }),
    () => ({ kind: "kill", target, afterEvents: random.between(0, 60), losesDisk: false }),
    () => ({ kind: "freeze", target }),
    () => ({ kind: "stop", target }),
  ])();
}
