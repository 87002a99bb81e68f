// GET /v1/calls/{messageId}.
import { type Static, Type } from "typebox";
import { type CallIdentity, formatDuration } from "#contract";
import { KEPT_MS } from "#topics";
import { nullableString } from "../../http/nullable.ts";
import { problemResponses } from "../../http/openapi.ts";
import { PassedOverReasonField } from "../../http/reason-fields.ts";
import type { ControlApp } from "../../http/server.ts";
import { IndexedUntilField, isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { readUser, USER_FIELDS, USER_VIEW } from "../../http/user-fields.ts";
import { AttemptView, attemptView } from "../attempts/view.ts";
import { shownOf } from "../dead-letters/shown.ts";
import { DeadLetterView, deadLetterView } from "../dead-letters/views.ts";
import { WAITING_FIELDS, waitingView } from "../waiting/view.ts";
import { AcceptedView, acceptedView } from "./accepted.ts";
import { AgainView, againRequest } from "./again.ts";
import { CALL_EXAMPLE } from "./example.ts";
import { type CallOfUser, type FoundCalls, findCalls, MAX_USERS } from "./find.ts";
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
  },
  { title: "CallAtDestination", description: "What became of the call at one destination." },
);

const CALL_FIELDS = {
  ...USER_VIEW,
  type: nullableString("Of the call."),
  receivedAt: nullableString("When it was accepted; null when only requests are known of it."),
  accepted: AcceptedView,
  destinations: Type.Array(DestinationTraceView, {
    description: "Those that are connected to the source now, and those of which something is known.",
  }),
};

const OtherCallView = Type.Object(CALL_FIELDS, {
  title: "CallOfOtherUser",
  description: "What became of another user's call with the same messageId.",
});

const CallView = Type.Object(
  {
    messageId: Type.String(),
    sourceId: Type.String(),
    ...CALL_FIELDS,
    others: Type.Array(OtherCallView, {
      description: `The calls of other users that have the same messageId: each is a call of its own. At most ${MAX_USERS - 1}; userId and anonymousId ask for one.`,
    }),
    isComplete: Type.Boolean({
      description:
        "False: so much waits that it could not all be looked at in four seconds, the index did not come so far in two, or more users have such a call, or more is known of it, than is shown.",
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
        description: `Requests are kept for ${formatDuration(KEPT_MS.deliveryAttempts)}, dead letters for ${formatDuration(KEPT_MS.deadLetters)}. A call that waits is found where it stands.`,
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
            ...USER_FIELDS,
          },
          { additionalProperties: false },
        ),
        response: { 200: CallView, ...problemResponses },
      },
    },
    async ({ params: { messageId }, query }) => {
      const { sourceId } = query;
      return callView(await findCalls(parts, { messageId, sourceId, user: readUser(query) }), parts);
    },
  );
}

const LOOKED_AT = ["attempts", "deadLetters", "routedCalls"] as const;

function callView(found: FoundCalls, parts: CallParts): Static<typeof CallView> {
  const { calls, isComplete, messageId, sourceId } = found;
  const { progress } = parts.deliveries;
  const untilMs = LOOKED_AT.map((kind) => progress.indexedUntilMs(kind));
  const times = untilMs.filter((atMs) => atMs !== undefined);
  const viewOf = (call: CallOfUser) => userView({ ...call, messageId, sourceId }, parts);
  const [first, ...others] = calls;
  return {
    messageId,
    sourceId,
    ...viewOf(first),
    others: others.map(viewOf),
    isComplete,
    indexedUntil: times.length < untilMs.length ? null : isoTime(Math.min(...times)),
  };
}

function userView(call: CallOfUser & CallIdentity, parts: CallParts): Static<typeof OtherCallView> {
  const { accepted, anonymousId, traces, userId } = call;
  const jobs = traces.flatMap(({ waiting }) => waiting.map(({ job }) => job));
  const letters = traces.flatMap(({ deadLetters }) => deadLetters);
  const [attempt] = traces.flatMap(({ attempts }) => attempts);
  return {
    userId,
    anonymousId,
    type: [...jobs, ...letters, ...(attempt ? [attempt] : []), ...accepted][0]?.type ?? null,
    receivedAt: isoTimeOrNull([...jobs, ...letters, ...accepted][0]?.receivedAtMs),
    accepted: acceptedView(accepted),
    destinations: traces.map((trace) => traceView(trace, call, parts)),
  };
}

function traceView(
  trace: Trace,
  call: CallIdentity,
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
