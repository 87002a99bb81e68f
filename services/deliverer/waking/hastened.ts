import type { Received, Settle, Step } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { DestinationState } from "../destinations.ts";
import type { OpenRequest } from "./retry-request.ts";
import type { Room } from "./room.ts";

export interface HasteningParts {
  readonly requests: { of(destinationId: string): readonly OpenRequest[] };
  readonly room: Pick<Room, "hasTurn" | "takesNow">;
  readonly nowMs: () => number;
  /** So many calls were taken ahead of their time. */
  woken(calls: number): void;
  destination(destinationId: string): DestinationState;
}

/**
 * The step of the retry topics' reader, for jobs that would hop on and that a request means whose pass has seen nothing more to take here: a pass sees no
 * job that hops between its look at a partition's end and at the reader's place, and may miss it each time. So the reader sends it
 * where there is room, and the partition is looked through once more.
 */
export function hastening(step: Step<DeliveryJob>, parts: HasteningParts): Step<DeliveryJob> {
  return (record, settle, claim) => {
    const { decoded: job } = record;
    const nowMs = parts.nowMs();
    const requests = job.dueAtMs > nowMs ? missedBy(record, parts) : [];
    for (const request of requests) request.movedOn(record);
    if (requests.length === 0 || !mayGo(job, parts)) step(record, settle, claim);
    else step({ ...record, decoded: { ...job, dueAtMs: nowMs } }, tellingOf(requests, settle, parts), claim);
  };
}

function missedBy(record: Received<DeliveryJob>, parts: HasteningParts): readonly OpenRequest[] {
  const { decoded: job } = record;
  const asked = parts.requests.of(job.destinationId);
  if (asked.length === 0) return asked;
  const isGone = parts.destination(job.destinationId).kind === "gone";
  return asked.filter(
    (each) => each.isOfDeleted === isGone && each.hasPassed(record) && each.means(job, record),
  );
}

/** A deleted destination's jobs ask no endpoint. Any other's must have room, or many that hop together would be put off again. */
function mayGo({ destinationId }: DeliveryJob, { destination, room }: HasteningParts): boolean {
  const state = destination(destinationId);
  if (state.kind === "gone") return true;
  return (
    state.kind === "active" && room.hasTurn(destinationId) && state.urls.some((url) => room.takesNow(url))
  );
}

/** A copy of a job that is in progress has no outcome of its own, and counts for no request. */
function tellingOf(
  requests: readonly OpenRequest[],
  settle: Settle,
  { woken }: Pick<HasteningParts, "woken">,
): Settle {
  return (outcome) => {
    const { onDurable } = outcome;
    if (onDurable === undefined) return settle(outcome);
    settle({
      ...outcome,
      onDurable() {
        onDurable();
        woken(1);
        for (const request of requests) request.took();
      },
    });
  };
}
