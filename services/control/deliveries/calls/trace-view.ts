// What became of a call at one destination, as the API shows it.
import { type Static, Type } from "typebox";
import type { CallIdentity } from "#contract";
import { nullableString } from "../../http/nullable.ts";
import { PassedOverReasonField } from "../../http/reason-fields.ts";
import { AttemptView, attemptView } from "../attempts/view.ts";
import { DeadLetterView, deadLetterView } from "../dead-letters/views.ts";
import { WAITING_FIELDS, waitingView } from "../waiting/view.ts";
import { AgainView, againRequest } from "./again.ts";
import type { CallParts } from "./parts.ts";
import { CALL_STATES, callState, type Trace } from "./trace.ts";

const NextView = Type.Object(WAITING_FIELDS, {
  title: "NextAttempt",
  description: "Where it waits, and for what.",
});

export const TRACE_FIELDS = {
  destinationId: Type.String(),
  name: nullableString("null when the destination was deleted."),
  state: Type.Unsafe<string>({
    type: "string",
    enum: CALL_STATES,
    description:
      "queued, waiting, paused: see next. delivered: a webhook took it, whether that request has a record or not, of a replay too. dead: it failed for good, and no replay of its dead letters has brought it there. under_way: it was tried, and is being tried or was taken meanwhile. passed_over: it was not meant for this destination, see passedOver. no_trace: nothing is recorded of it here, see accepted.",
  }),
  passedOver: Type.Union([PassedOverReasonField, Type.Null()], {
    description: "Why the destination got no job of it; null when it got one, or accepted is null.",
  }),
  next: Type.Array(NextView, {
    description: "What comes next. Several when replays have sent it too; empty when nothing does.",
  }),
  attempts: Type.Array(AttemptView, { description: "Oldest first." }),
  deadLetters: Type.Array(DeadLetterView, { description: "Oldest first." }),
  sendAgain: AgainView,
};

export const DestinationTraceView = Type.Object(TRACE_FIELDS, {
  title: "CallAtDestination",
  description: "What became of the call at one destination.",
});

export function traceView(
  trace: Trace,
  call: CallIdentity,
  { destinations, replays }: Pick<CallParts, "destinations" | "replays">,
): Static<typeof DestinationTraceView> {
  const { attempts, deadLetters, destinationId, waiting } = trace;
  const all = replays.list();
  return {
    destinationId,
    name: destinations.get(destinationId)?.name ?? null,
    state: callState(trace),
    passedOver: trace.passedOver,
    next: waiting.map(waitingView),
    attempts: attempts.map(attemptView),
    deadLetters: deadLetters.map((letter) => deadLetterView(letter, all, { destinations })),
    sendAgain: againRequest(trace, call, destinations.get(destinationId)),
  };
}
