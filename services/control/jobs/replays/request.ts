// What may be asked of a replay (contract 10.6).
import type { Static } from "typebox";
import { parseTimestamp } from "#contract";
import type { DestinationConfig, Replay } from "#topics";
import type { ListedDeadLetter } from "../../deliveries/index/dead-letters-table.ts";
import type { Issue } from "../../deliveries/index/issues-table.ts";
import type { FieldProblem } from "../../http/problem.ts";
import { pastRangeProblems } from "../../http/time-pages.ts";
import type { ReplayBody } from "./schemas.ts";

type Body = Static<typeof ReplayBody>;

export interface Known {
  destination(id: string): Pick<DestinationConfig, "enabled" | "sourceIds"> | undefined;
  deadLetter(id: string): ListedDeadLetter | undefined;
  issue(id: string): Pick<Issue, "destinationId"> | undefined;
  readonly nowMs: number;
}

/** An issue is of one destination, which need not be named beside it. */
export function withDestination(body: Body, { issue }: Pick<Known, "issue">): Body {
  const { destinationId, ids, issueId } = body;
  if (ids !== undefined || issueId === undefined || destinationId !== undefined) return body;
  const found = issue(issueId);
  return found === undefined ? body : { ...body, destinationId: found.destinationId };
}

/** What is wrong with a request whose schema is fulfilled. */
export function replayProblems(body: Body, known: Known): FieldProblem[] {
  const { ids, destinationId, issueId, toDestinationId } = body;
  const issue = issueId === undefined || ids !== undefined ? undefined : issueProblem(issueId, body, known);
  if (issue !== undefined) return [issue];
  if (ids === undefined && destinationId === undefined)
    return [{ path: "ids", message: "is required, or destinationId or issueId" }];
  if (ids === undefined) {
    const path = toDestinationId === undefined ? "destinationId" : "toDestinationId";
    return [...pastRangeProblems(body, known.nowMs), ...destinationProblems(path, body[path], known)];
  }
  const narrowing = (["toDestinationId", "issueId", "reason", "from", "to"] as const).filter(
    (path) => body[path] !== undefined,
  );
  const isElsewhere = destinationId !== undefined;
  return [
    ...(isElsewhere ? destinationProblems("destinationId", destinationId, known) : []),
    ...narrowing.map((path) => ({ path, message: "cannot be given beside ids" })),
    ...ids.flatMap((id, index) =>
      letterProblems(`ids[${index}]`, known.deadLetter(id), { known, isElsewhere }),
    ),
  ];
}

function issueProblem(id: string, { destinationId }: Body, known: Known): FieldProblem | undefined {
  const issue = known.issue(id);
  if (issue === undefined) return { path: "issueId", message: `there is no issue ${id}` };
  if (issue.destinationId === destinationId) return undefined;
  return { path: "issueId", message: `is not an issue of destination ${destinationId}` };
}

/** To where it was deleted or switched off, every call would only die again. */
export function destinationProblems(
  path: string,
  id: string | null | undefined,
  known: Pick<Known, "destination">,
): FieldProblem[] {
  const destination = known.destination(id ?? "");
  if (destination === undefined) {
    const message = `there is no destination ${id ?? ""}; name another one that gets the calls`;
    return [{ path, message }];
  }
  if (destination.enabled) return [];
  return [{ path, message: `destination ${id} is switched off: switch it on first` }];
}

interface LettersTarget {
  readonly known: Known;
  /** They are not sent to their own destination. */
  readonly isElsewhere: boolean;
}

function letterProblems(
  path: string,
  letter: ListedDeadLetter | undefined,
  { isElsewhere, known }: LettersTarget,
): FieldProblem[] {
  if (letter === undefined) return [{ path, message: "there is no such dead letter" }];
  if (!letter.replayable)
    return [
      {
        path,
        message: `cannot be replayed: its record could not be read (${letter.reason}), so there is no call`,
      },
    ];
  return isElsewhere ? [] : destinationProblems(path, letter.destinationId, known);
}

/** A replay that has sent nothing yet. */
export function begunAt(nowMs: number) {
  const counts = { matched: 0, replayed: 0, skipped: 0, expired: 0, deleted: 0 };
  return {
    state: "running",
    ...counts,
    cursor: null,
    error: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  } as const;
}

/** Everything but how many dead letters it matches. */
export function replayOf(
  body: Body,
  made: { readonly id: string; readonly ends: number[]; readonly nowMs: number },
): Replay {
  const { ids, destinationId = null, toDestinationId = null, callsPerSecond = null } = body;
  const { issueId = null, reason = null } = body;
  return {
    id: made.id,
    ids: ids === undefined ? null : [...new Set(ids)],
    destinationId: ids === undefined ? destinationId : null,
    toDestinationId: ids === undefined ? toDestinationId : destinationId,
    issueId,
    reason,
    fromMs: parseTimestamp(body.from) ?? null,
    toMs: parseTimestamp(body.to) ?? null,
    callsPerSecond,
    ends: made.ends,
    calls: null,
    ...begunAt(made.nowMs),
  };
}
