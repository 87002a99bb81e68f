import { type Api, type ClusterRequest, type Decision, type Faults, PASS, type Random } from "#testing";
import type { Fault, RequestFault } from "../plan/plan.ts";

const APIS: Readonly<Record<RequestFault["what"], readonly Api[]>> = {
  produce: ["produce"],
  commit: ["commit"],
  group: ["join", "sync", "heartbeat", "find_coordinator"],
  old_read: ["read", "list_offsets", "committed"],
  read: ["fetch", "read", "metadata", "list_offsets", "committed"],
};

function isMeant({ only, what }: RequestFault, { api, process }: ClusterRequest): boolean {
  return APIS[what].includes(api) && (only === undefined || only === process);
}

/** Shorter than the client's patience, so that a run sees what comes after it. */
const NOTICED_MS = { from: 200, to: 4_000 };
const LATE_MS = { from: 20, to: 3_000 };

function feltAfterMs(decision: Decision): number {
  if (decision.kind === "lose_request" || decision.kind === "lose_answer")
    return decision.noticedAfterMs ?? NOTICED_MS.to;
  return decision.kind === "delay" ? decision.requestMs + (decision.answerMs ?? 0) : 0;
}

/** Decides what becomes of each request to the cluster, by the faults that are on. */
export class PlannedFaults implements Faults {
  readonly #on = new Set<Fault & RequestFault>();
  readonly #random: Random;
  readonly #onFault: (process: string, feltAfterMs: number) => void;

  /** `onFault`: a request went wrong, and its process feels it after so long, which may be after the end of the fault. */
  constructor(random: Random, onFault: (process: string, feltAfterMs: number) => void) {
    this.#random = random;
    this.#onFault = onFault;
  }

  begin(fault: Fault & RequestFault): void {
    this.#on.add(fault);
  }

  end(fault: Fault & RequestFault): void {
    this.#on.delete(fault);
  }

  decide(request: ClusterRequest): Decision {
    for (const fault of this.#on) {
      if (!isMeant(fault, request) || !this.#random.chance(fault.share)) continue;
      const decision = this.#decision(fault, request);
      this.#onFault(request.process, feltAfterMs(decision));
      return decision;
    }
    return PASS;
  }

  #decision({ how, what }: RequestFault, { partitions = [] }: ClusterRequest): Decision {
    const noticedAfterMs = this.#random.between(NOTICED_MS.from, NOTICED_MS.to);
    switch (how) {
      case "lost":
        return { kind: "lose_request", noticedAfterMs };
      case "answer_lost":
        return { kind: "lose_answer", noticedAfterMs };
      case "late":
        return { kind: "delay", requestMs: this.#random.between(LATE_MS.from, LATE_MS.to) };
      case "answer_late":
        return { kind: "delay", requestMs: 0, answerMs: this.#random.between(LATE_MS.from, LATE_MS.to) };
      case "refused":
        return {
          kind: "refuse",
          error: what === "produce" ? "NOT_LEADER_FOR_PARTITION" : "NOT_COORDINATOR_FOR_GROUP",
        };
      // For good, and a record that is sent alone later is taken all the same.
      case "rejected":
        return what === "produce" ? { kind: "refuse", error: "MESSAGE_TOO_LARGE" } : PASS;
      case "left_out": {
        const chosen = partitions[Math.floor(this.#random.next() * partitions.length)];
        return what === "produce"
          ? {
              kind: "leave_out",
              only: ({ topic, partition }) => topic === chosen?.topic && partition === chosen.partition,
            }
          : PASS;
      }
    }
  }
}
