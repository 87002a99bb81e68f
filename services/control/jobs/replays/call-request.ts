// What may be asked of a replay of calls.
import type { Static } from "typebox";
import { parseTimestamp } from "#contract";
import type { ReplayStretch } from "#topics";
import type { FieldProblem } from "../../http/problem.ts";
import { pastRangeProblems } from "../../http/time-pages.ts";
import { userProblems } from "../../http/user-fields.ts";
import type { CallReplayBody } from "./call-schemas.ts";
import type { CallReplay } from "./call-selection.ts";
import { begunAt, destinationProblems, type Known } from "./request.ts";

type Body = Static<typeof CallReplayBody>;

/** What is wrong with a request whose schema is fulfilled. */
export function callReplayProblems(body: Body, known: Pick<Known, "destination" | "nowMs">): FieldProblem[] {
  const path = body.toDestinationId === undefined ? "destinationId" : "toDestinationId";
  return [
    ...pastRangeProblems(body, known.nowMs),
    ...userProblems(body),
    ...destinationProblems(path, body[path], known),
  ];
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
