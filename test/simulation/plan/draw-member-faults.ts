import type { Random } from "#testing";
import type { Fault, FaultKind, ProcessPlan, RequestFault, Timing, Wish } from "./plan.ts";

export interface MemberFaultsDrawn {
  readonly processes: readonly ProcessPlan[];
  /** When something is asked of control, around which most of it goes wrong. */
  readonly wishes: readonly Pick<Wish, "atMs">[];
  /** So long after it was asked for; of a sync unless given. */
  readonly nearMs?: { readonly from: number; readonly to: number };
  readonly timing: Timing;
  readonly random: Random;
}

const EARLIEST_MS = 5_000;
const QUIET_MS = 2_000;
/** A sync begins two seconds after its destination was connected, and lasts for some seconds. */
const NEAR_MS = { from: -500, to: 7_000 };

/** What goes wrong with control, mostly while it works on what was asked of it; with routers and deliverers now and then. */
export function drawMemberFaults(drawn: MemberFaultsDrawn): Fault[] {
  const { nearMs: near = NEAR_MS, processes, random, timing, wishes } = drawn;
  const { calmMs } = timing;
  return Array.from({ length: random.pick([0, 1, 2, 3, 4]) }, (_, index) => {
    const own = random.split(`fault ${index}`);
    const wish = wishes[Math.floor(own.next() * wishes.length)];
    const nearMs = (wish?.atMs ?? EARLIEST_MS) + own.between(near.from, near.to);
    const wantedMs = own.chance(0.7) ? nearMs : own.between(EARLIEST_MS, calmMs);
    const atMs = Math.min(Math.max(wantedMs, EARLIEST_MS), calmMs - QUIET_MS);
    const forMs = Math.min(own.between(50, 1_000) * own.pick([1, 3, 10]), calmMs - atMs);
    const service = own.pick(["control", "control", "control", "control", "webhook-router", "deliverer"]);
    const names = processes.filter((process) => process.service === service).map(({ name }) => name);
    const target = names[Math.floor(own.next() * names.length)] ?? "";
    const kind = service === "deliverer" ? drawEnd(target, own) : drawKind(target, own);
    return { id: `m${index + 1}`, atMs, forMs, ...kind };
  });
}

/** A deliverer that hangs sends what it has in hand after what another one has sent: the order that a receiver sees is another law's. */
function drawEnd(target: string, random: Random): FaultKind {
  if (random.chance(0.5)) return { kind: "stop", target };
  return { kind: "kill", target, afterEvents: random.between(0, 60), losesDisk: false };
}

function drawKind(target: string, random: Random): FaultKind {
  const afterEvents = random.between(0, 60);
  return random.pick<() => FaultKind>([
    () => ({ kind: "kill", target, afterEvents, losesDisk: random.chance(0.3) }),
    () => ({ kind: "kill", target, afterEvents, losesDisk: random.chance(0.3) }),
    () => ({ kind: "kill", target, afterEvents, losesDisk: random.chance(0.3) }),
    () => ({ kind: "power", target, afterEvents }),
    () => ({ kind: "stop", target }),
    () => ({ kind: "stop", target }),
    () => ({ kind: "freeze", target }),
    () => ({ kind: "cut", target }),
    () => ({ kind: "full_disk", target }),
    () => drawRequests(target, random),
    () => drawRequests(target, random),
    () => drawRequests(target, random),
  ])();
}

/** What is written, or its acknowledgement, is late, lost or refused: so is how far the work is. */
function drawRequests(target: string, random: Random): RequestFault {
  const what = random.pick(["produce", "produce", "produce", "commit", "group", "read", "old_read"]);
  const how = random.pick(["lost", "answer_lost", "answer_lost", "late", "late", "refused", "left_out"]);
  return { kind: "requests", what, how, share: 0.05 + random.next() * 0.6, only: target };
}
