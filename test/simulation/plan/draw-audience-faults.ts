import type { Random } from "#testing";
import { drawStorm } from "./draw-storm.ts";
import type { Fault, FaultKind, ProcessPlan, RequestFault } from "./plan.ts";

export interface AudienceFaultsDrawn {
  readonly processes: readonly ProcessPlan[];
  readonly calmMs: number;
  readonly random: Random;
}

const EARLIEST_MS = 4_000;
const STORM_SHARE = 0.35;

/** What goes wrong with processors, and is over when the calm begins. Clocks are not set: a processor judges by its own. */
export function drawAudienceFaults({ calmMs, processes, random }: AudienceFaultsDrawn): Fault[] {
  const processors = processes.filter(({ service }) => service === "audience-processor");
  const count = random.pick([0, 1, 2, 3, 4, 6, 8]);
  const single = Array.from({ length: count }, (_, index) => {
    const own = random.split(`fault ${index}`);
    const atMs = own.between(EARLIEST_MS, calmMs - 2_000);
    const forMs = Math.min(own.between(50, 1_000) * own.pick([1, 3, 10]), calmMs - atMs);
    return { id: `f${index + 1}`, atMs, forMs, ...drawKind(processors, own) };
  });
  const own = random.split("storm");
  if (!own.chance(STORM_SHARE)) return single;
  const startMs = own.between(EARLIEST_MS, calmMs - 2_000);
  return [...single, ...drawStorm({ startMs, calmMs, processes: processors, random: own })];
}

function drawKind(processors: readonly ProcessPlan[], random: Random): FaultKind {
  const target = processors[Math.floor(random.next() * processors.length)]?.name ?? "";
  const afterEvents = random.between(0, 60);
  const kill = (): FaultKind => ({ kind: "kill", target, afterEvents, losesDisk: random.chance(0.3) });
  return random.pick<() => FaultKind>([
    kill,
    kill,
    kill,
    () => ({ kind: "power", target, afterEvents }),
    () => ({ kind: "power", target, afterEvents }),
    () => ({ kind: "stop", target }),
    () => ({ kind: "stop", target }),
    () => ({ kind: "freeze", target }),
    () => ({ kind: "cut", target }),
    () => ({ kind: "full_disk", target }),
    () => ({ kind: "leaders" }),
    () => ({ kind: "broker", broker: random.between(1, 3) }),
    () => ({ kind: "registry" }),
    () => drawRequests(target, random),
    () => drawRequests(target, random),
    () => drawRequests(target, random),
  ])();
}

/** The changelog's acknowledgements come late, or not at all, more often than anything else. */
function drawRequests(target: string, random: Random): RequestFault {
  const what = random.pick(["produce", "produce", "produce", "commit", "group", "read", "old_read"]);
  const how = random.pick(["lost", "answer_lost", "answer_lost", "late", "late", "refused", "left_out"]);
  const only = random.chance(0.5) ? target : undefined;
  return { kind: "requests", what, how, share: 0.02 + random.next() * 0.6, only };
}
