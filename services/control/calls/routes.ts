// GET /v1/calls/{messageId}.
import { type Static, Type } from "typebox";
import { durationText } from "#contract";
import { KEPT_MS } from "#topics";
import { AttemptView, attemptView } from "../attempts/view.ts";
import { shownOf } from "../dead-letters/shown.ts";
import { DeadLetterView, deadLetterView } from "../dead-letters/views.ts";
import { nullableString } from "../http/nullable.ts";
import { problemResponses } from "../http/openapi.ts";
import { PassedOverReasonField } from "../http/reason-fields.ts";
import type { ControlApp } from "../http/server.ts";
import { IndexedUntilField, isoTime, isoTimeOrNull } from "../http/time-pages.ts";
import { WAITING_FIELDS, waitingView } from "../waiting/view.ts";
import { AcceptedView, acceptedView } from "./accepted.ts";
import { AgainView, againRequest } from "./again.ts";
import { CALL_EXAMPLE } from "./example.ts";
import { type FoundCall, findCall } from "./find.ts";
import type { CallParts } from "./parts.ts";
import { CALL_STATES, callState, type Trace } from "./trace.ts";

const NextView = Type.Object(WAITING_FIELDS, {
  title: "NextAttempt",
  description: "Where it waits, and for what.",
});

const DestinationTraceView = Type.Object(
  {
    destinationId: Type.String(),
    name: nullableString("null when the destination was deleted."),
    state: Type.Unsafe<string>({
      type: "string",
      enum: CALL_STATES,
      description:
        "queued, waiting, paused: see next. delivered: a webhook took it. dead: it failed for good. under_way: it was tried, and is being tried or was taken meanwhile. passed_over: it was not meant for this destination, see passedOver. no_trace: it was delivered without a record, as successes are a sample unless HOOKLINE_RECORDED_ATTEMPTS is all; or, when accepted is null, it was not sent here.",
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
  },
  { title: "CallAtDestination", description: "What became of the call at one destination." },
);

const CallView = Type.Object(
  {
    messageId: Type.String(),
    sourceId: Type.String(),
    type: nullableString("Of the call."),
    receivedAt: nullableString("When it was accepted; null when only requests are known of it."),
    accepted: AcceptedView,
    destinations: Type.Array(DestinationTraceView, {
      description: "Those that are connected to the source now, and those of which something is known.",
    }),
    isComplete: Type.Boolean({
      description: "False: so much waits that it could not all be looked at in four seconds.",
    }),
    indexedUntil: IndexedUntilField,
  },
  { title: "Call", description: "What became of one call.", examples: [CALL_EXAMPLE] },
);

export function addCallRoutes(app: ControlApp, parts: CallParts): void {
  app.get(
    "/v1/calls/:messageId",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "getCall",
        summary: "What became of one call, at every destination",
        description: `Requests are kept for ${durationText(KEPT_MS.deliveryAttempts, { days: true })}, dead letters for ${durationText(KEPT_MS.deadLetters, { days: true })}. A call that waits is found where it stands.`,
        params: Type.Object({ messageId: Type.String() }),
        querystring: Type.Object(
          {
            sourceId: Type.Optional(
              Type.String({
                minLength: 1,
                description:
                  "Needed when several sources had a call with this messageId, and for a call that was not tried yet unless calls are recorded.",
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: CallView, ...problemResponses },
      },
    },
    async ({ params: { messageId }, query: { sourceId } }) =>
      callView(await findCall(parts, messageId, sourceId), parts),
  );
}

const LOOKED_AT = ["attempts", "deadLetters", "routedCalls"] as const;

function callView(call: FoundCall, parts: CallParts): Static<typeof CallView> {
  const { accepted, isComplete, messageId, sourceId, traces } = call;
  const { progress } = parts.deliveries;
  const jobs = traces.flatMap(({ waiting }) => waiting.map(({ job }) => job));
  const letters = traces.flatMap(({ deadLetters }) => deadLetters);
  const [attempt] = traces.flatMap(({ attempts }) => attempts);
  const untilMs = LOOKED_AT.map((kind) => progress.indexedUntilMs(kind));
  const times = untilMs.filter((atMs) => atMs !== undefined);
  return {
    messageId,
    sourceId,
    type: [...jobs, ...letters, ...(attempt ? [attempt] : []), ...accepted][0]?.type ?? null,
    receivedAt: isoTimeOrNull([...jobs, ...letters, ...accepted][0]?.receivedAtMs),
    accepted: acceptedView(accepted),
    destinations: traces.map((trace) => traceView(trace, call, parts)),
    isComplete,
    indexedUntil: times.length < untilMs.length ? null : isoTime(Math.min(...times)),
  };
}

function traceView(
  trace: Trace,
  call: FoundCall,
  { destinations, replays }: CallParts,
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
    deadLetters: deadLetters.map((letter) => deadLetterView(letter, shownOf(letter, all, { destinations }))),
    sendAgain: againRequest(trace, call, destinations.get(destinationId)),
  };
}
