// What may be asked of a replay of calls.
import type { Static } from "typebox";
import { parseTimestamp } from "#contract";
import type { ReplayStretch } from "#topics";
import type { FieldProblem } from "../../http/problem.ts";
import { pastRangeProblems } from "../../http/time-pages.ts";
import { userProblems } from "../../http/user-fields.ts";
import type { CallReplayBody } from "./call-schemas.ts";
import { type CallReplay, MISSING } from "./call-selection.ts";
import { begunAt, destinationProblems, type Known } from "./request.ts";

type Body = Static<typeof CallReplayBody>;

/** What is wrong with a request whose schema is fulfilled. */
export function callReplayProblems(body: Body, known: Pick<Known, "destination" | "nowMs">): FieldProblem[] {
  if (body.which === MISSING) return missingProblems(body, known);
  const path = body.toDestinationId === undefined ? "destinationId" : "toDestinationId";
  return [
    ...pastRangeProblems(body, known.nowMs),
    ...userProblems(body),
    ...destinationProblems(path, body[path], known),
  ];
}

/** It is given what it would get by itself now: from sources that it is connected to. */
function missingProblems(body: Body, known: Pick<Known, "destination" | "nowMs">): FieldProblem[] {
  const { destinationId, sourceId, toDestinationId } = body;
  const { sourceIds = [] } = known.destination(destinationId) ?? {};
  const problems = [
    ...pastRangeProblems(body, known.nowMs),
    ...userProblems(body),
    ...destinationProblems("destinationId", destinationId, known),
  ];
  if (toDestinationId !== undefined)
    problems.push({ path: "toDestinationId", message: "cannot be given for missing calls" });
  if (problems.length > 0) return problems;
  if (sourceId !== undefined && !sourceIds.includes(sourceId))
    return [
      { path: "sourceId", message: `is not connected to destination ${destinationId}: connect it first` },
    ];
  if (sourceIds.length > 0) return [];
  const message = `destination ${destinationId} is connected to no source: connect one first`;
  return [{ path: "destinationId", message }];
}

interface Made {
  readonly id: string;
  readonly stretches: ReplayStretch[];
  readonly nowMs: number;
}

export function callReplayOf(body: Body, { id, nowMs, stretches }: Made): CallReplay {
  const { which = "delivered", sourceId = null, event = null, messageId = null } = body;
  const { userId = null, anonymousId = null } = body;
  return {
    id,
    ids: null,
    destinationId: body.destinationId,
    toDestinationId: body.toDestinationId ?? null,
    issueId: null,
    reason: null,
    fromMs: parseTimestamp(body.from) ?? null,
    toMs: parseTimestamp(body.to) ?? null,
    callsPerSecond: body.callsPerSecond ?? null,
    // No dead letter is meant by its place.
    ends: [],
    calls: { which, sourceId, event, messageId, userId, anonymousId, stretches },
    ...begunAt(nowMs),
  };
}
