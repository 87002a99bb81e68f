import type { Random, Script } from "#testing";
import { drawStorm } from "./draw-storm.ts";
import type { Fault, FaultKind, ProcessPlan, RequestFault, Timing } from "./plan.ts";

export interface FaultsDrawn {
  readonly processes: readonly ProcessPlan[];
  readonly scripts: readonly Script[];
  readonly timing: Timing;
  readonly random: Random;
}

const EARLIEST_MS = 3_000;

/** Worlds with a storm. */
const STORM_SHARE = 0.35;

/** What goes wrong, and is over when the calm begins. Each draws its own chance, so that one left out changes no other. */
export function drawFaults(drawn: FaultsDrawn): Fault[] {
  const { processes, random, timing } = drawn;
  const { calmMs } = timing;
  const count = random.pick([0, 1, 2, 3, 4, 6, 8]);
  const single = Array.from({ length: count }, (_, index) => {
    const own = random.split(`fault ${index}`);
    const startMs = drawMoment(drawn, own);
    const forMs = Math.min(own.between(50, 1_000) * own.pick([1, 3, 10]), calmMs - startMs);
    return { id: `f${index + 1}`, atMs: startMs, forMs, ...drawKind(processes, own) };
  });
  const own = random.split("storm");
  if (!own.chance(STORM_SHARE)) return single;
  const service = own.pick(["webhook-router", "deliverer"]);
  const struck = processes.filter((process) => process.service === service);
  const storm = drawStorm({ startMs: drawMoment(drawn, own), calmMs, processes: struck, random: own });
  return [...single, ...storm];
}

/** Much happens around the moments at which an endpoint falls ill or gets well. */
function drawMoment({ scripts, timing: { calmMs } }: FaultsDrawn, random: Random): number {
  const turns = scripts.flatMap(({ phases }) => phases.flatMap(({ startMs, endMs }) => [startMs, endMs]));
  const turnMs = turns[Math.floor(random.next() * turns.length)];
  const atMs =
    turnMs !== undefined && random.chance(0.6)
      ? turnMs + random.between(200, 5_000)
      : random.between(EARLIEST_MS, calmMs - 2_000);
  return Math.min(Math.max(atMs, EARLIEST_MS), calmMs - 2_000);
}

function drawKind(processes: readonly ProcessPlan[], random: Random): FaultKind {
  const target = processes[Math.floor(random.next() * processes.length)]?.name ?? "";
  const [router] = processes.filter(({ service }) => service === "webhook-router");
  return random.pick<() => FaultKind>([
    () => ({ kind: "kill", target, afterEvents: random.between(0, 60), losesDisk: random.chance(0.2) }),
    () => ({ kind: "kill", target, afterEvents: random.between(0, 60), losesDisk: random.chance(0.2) }),
    () => ({ kind: "kill", target, afterEvents: random.between(0, 60), losesDisk: random.chance(0.2) }),
    () => ({ kind: "stop", target }),
    () => ({ kind: "stop", target }),
    () => ({ kind: "freeze", target }),
    () => ({ kind: "cut", target }),
    () => ({ kind: "clock", target, byMs: random.between(-120_000, 120_000) }),
    () => ({ kind: "full_disk", target: router?.name ?? target }),
    () => ({ kind: "leaders" }),
    () => ({ kind: "broker", broker: random.between(1, 3) }),
    () => ({ kind: "registry" }),
    () => drawRequests(random),
    () => drawRequests(random),
  ])();
}

function drawRequests(random: Random): RequestFault {
  const what = random.pick(["produce", "produce", "commit", "group", "read"]);
  const how = random.pick(["lost", "answer_lost", "late", "refused", "rejected", "left_out"]);
  return { kind: "requests", what, how, share: 0.02 + random.next() * 0.5 };
}
