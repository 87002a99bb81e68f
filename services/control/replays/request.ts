// What may be asked of a replay (contract 10.6).
import type { Static } from "typebox";
import { parseTimestamp } from "#contract";
import type { DestinationConfig, Replay } from "#topics";
import type { ListedDeadLetter } from "../delivery-index/dead-letters-table.ts";
import type { FieldProblem } from "../http/problem.ts";
import { rangeProblems } from "../http/time-pages.ts";
import type { ReplayBody } from "./schemas.ts";

type Body = Static<typeof ReplayBody>;

export interface Known {
  destination(id: string): Pick<DestinationConfig, "enabled"> | undefined;
  deadLetter(id: string): ListedDeadLetter | undefined;
}

/** What is wrong with a request whose schema is fulfilled. */
export function replayProblems(body: Body, known: Known): FieldProblem[] {
  const { ids, destinationId } = body;
  if (ids === undefined && destinationId === undefined)
    return [{ path: "ids", message: "is required, or destinationId" }];
  if (ids === undefined)
    return [...rangeProblems(body), ...destinationProblems("destinationId", destinationId, known)];
  const narrowing = (["destinationId", "reason", "from", "to"] as const).filter(
    (path) => body[path] !== undefined,
  );
  return [
    ...narrowing.map((path) => ({ path, message: "cannot be given beside ids" })),
    ...ids.flatMap((id, index) => letterProblems(`ids[${index}]`, known.deadLetter(id), known)),
  ];
}

/** To where it was deleted or switched off, every call would only die again. */
function destinationProblems(path: string, id: string | null | undefined, known: Known): FieldProblem[] {
  const destination = known.destination(id ?? "");
  if (destination === undefined) return [{ path, message: `there is no destination ${id ?? ""}` }];
  if (destination.enabled) return [];
  return [{ path, message: `destination ${id} is switched off: switch it on first` }];
}

function letterProblems(path: string, letter: ListedDeadLetter | undefined, known: Known): FieldProblem[] {
  if (letter === undefined) return [{ path, message: "there is no such dead letter" }];
  if (!letter.replayable)
    return [
      {
        path,
        message: `cannot be replayed: its record could not be read (${letter.reason}), so there is no call`,
      },
    ];
  return destinationProblems(path, letter.destinationId, known);
}

/** Everything but how many dead letters it matches. */
export function replayOf(
  body: Body,
  made: { readonly id: string; readonly ends: number[]; readonly nowMs: number },
): Replay {
  const { ids, destinationId = null, reason = null, callsPerSecond = null } = body;
  return {
    id: made.id,
    ids: ids === undefined ? null : [...new Set(ids)],
    destinationId,
    reason,
    fromMs: parseTimestamp(body.from) ?? null,
    toMs: parseTimestamp(body.to) ?? null,
    callsPerSecond,
    state: "running",
    ends: made.ends,
    matched: 0,
    replayed: 0,
    skipped: 0,
    expired: 0,
    deleted: 0,
    cursor: null,
    createdAtMs: made.nowMs,
    updatedAtMs: made.nowMs,
  };
}
