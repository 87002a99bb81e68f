// GET /v1/calls/{messageId}.
import { type Static, Type } from "typebox";
import { type CallIdentity, formatDuration } from "#contract";
import { KEPT_MS } from "#topics";
import { nullableString } from "../../http/nullable.ts";
import type { ControlApp } from "../../http/server.ts";
import { IndexedUntilField, isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { readUser, USER_FIELDS, USER_VIEW } from "../../http/user-fields.ts";
import { AcceptedView, acceptedView } from "./accepted.ts";
import { CALL_EXAMPLE } from "./example.ts";
import { type CallOfUser, type FoundCalls, findCalls, MAX_USERS } from "./find.ts";
import type { CallParts } from "./parts.ts";
import { DestinationTraceView, traceView } from "./trace-view.ts";

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
        querystring: Type.Object({
          sourceId: Type.Optional(
            Type.String({
              minLength: 1,
              description:
                "Needed when several sources had a call with this messageId, and for a call that was not tried yet unless calls are recorded.",
            }),
          ),
          ...USER_FIELDS,
        }),
        response: { 200: CallView },
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
