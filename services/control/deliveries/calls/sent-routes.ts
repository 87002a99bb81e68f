// GET /v1/calls/{messageId}/destinations/{destinationId}: with what was sent.
import { type Static, Type } from "typebox";
import { type CallIdentity, formatDuration, parseExactJson } from "#contract";
import { KEPT_MS } from "#topics";
import { nullableString, nullableTime } from "../../http/nullable.ts";
import { notFound } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { isoTimeOrNull } from "../../http/time-pages.ts";
import { readUser, USER_FIELDS, USER_VIEW } from "../../http/user-fields.ts";
import { WEBHOOK_FIELDS, webhookFields } from "../../http/webhook-fields.ts";
import type { TestCallParts } from "../test-call/parts.ts";
import { SENT_CALL_EXAMPLE } from "./example.ts";
import { type CallOfUser, findCalls } from "./find.ts";
import type { CallParts } from "./parts.ts";
import { type BodyWork, findBody, NO_BODY, type NoBody, type SentBody } from "./sent-body.ts";
import { isAsSent, sentRequest } from "./sent-request.ts";
import type { Trace } from "./trace.ts";
import { TRACE_FIELDS, traceView } from "./trace-view.ts";

export interface SentCallParts extends CallParts, BodyWork, Pick<TestCallParts, "delivery"> {
  readonly host: CallParts["host"];
  readonly deletedUsers: BodyWork["deletedUsers"];
}

const SentRequestView = Type.Object(
  {
    ...WEBHOOK_FIELDS,
    sentAt: nullableTime(
      "Of the last recorded request with the call to this webhook; null when there is none.",
    ),
    isAsSent: Type.Boolean({
      description:
        "True: that request had these headers, as the destination was not changed since. False: these are the headers that would be sent now.",
    }),
    headers: Type.Record(Type.String(), Type.String(), {
      description:
        "As the destination is configured now. Signatures and the webhook's own values are masked. Trace headers are not here.",
    }),
    curl: Type.String({
      description:
        "The request as one command of a POSIX shell, with the whole URL. A variable stands for each secret; while one is not set the shell names it and nothing is sent.",
    }),
  },
  { title: "SentRequest", description: "The request that sends the call to one webhook." },
);

const SentCallView = Type.Object(
  {
    messageId: Type.String(),
    sourceId: Type.String(),
    ...USER_VIEW,
    ...TRACE_FIELDS,
    body: Type.Unsafe<unknown>({
      description: "That webhooks get, parsed; null when there is none to show.",
    }),
    bodyText: nullableString("The exact body, at most some 32 KiB; null as body."),
    noBody: Type.Unsafe<NoBody | null>({
      anyOf: [{ title: "NoBody", type: "string", enum: [...NO_BODY] }, { type: "null" }],
      description: `Why there is none. user_deleted: its user was deleted since; then nothing of it is shown. not_recorded: where the call stands is not known, as HOOKLINE_RECORDED_CALLS was not all when it was routed. no_longer_kept: the log has let go of it, after ${formatDuration(KEPT_MS.calls)} of a call, ${formatDuration(KEPT_MS.deadLetters)} of a dead letter.`,
    }),
    requests: Type.Array(SentRequestView, {
      description:
        "One for each webhook that the destination has now; empty without a body, and when it was deleted.",
    }),
  },
  {
    title: "SentCall",
    description: "One call at one destination: what became of it, and what its webhooks are sent.",
    examples: [SENT_CALL_EXAMPLE],
  },
);

export function addSentCallRoute(app: ControlApp, parts: SentCallParts): void {
  app.get(
    "/v1/calls/:messageId/destinations/:destinationId",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "getSentCall",
        summary:
          "One call at one destination: its body, the headers it is sent with, each answer, and a curl command",
        description: `The body is read from Kafka: from where the call waits, from the log of calls (${formatDuration(KEPT_MS.calls)}), or from its dead letter (${formatDuration(KEPT_MS.deadLetters)}).`,
        params: Type.Object({ messageId: Type.String(), destinationId: Type.String() }),
        querystring: Type.Object({
          sourceId: Type.Optional(
            Type.String({
              minLength: 1,
              description: "As for GET /v1/calls/{messageId}.",
            }),
          ),
          ...USER_FIELDS,
        }),
        response: { 200: SentCallView },
      },
    },
    async ({ params: { destinationId, messageId }, query }) => {
      const asked = { messageId, sourceId: query.sourceId, user: readUser(query) };
      const { calls, sourceId } = await findCalls(parts, asked);
      const call = { ...calls[0], messageId, sourceId };
      const trace = call.traces.find((one) => one.destinationId === destinationId);
      if (trace === undefined) throw notFound("destination of this call", destinationId, "destinationId");
      return sentCallView(parts, { call, trace, sent: await findBody(parts, call, trace) });
    },
  );
}

const NOTHING = { next: [], attempts: [], deadLetters: [], sendAgain: null };

interface Found {
  readonly call: CallOfUser & CallIdentity;
  readonly trace: Trace;
  readonly sent: SentBody;
}

function sentCallView(parts: SentCallParts, { call, sent, trace }: Found): Static<typeof SentCallView> {
  const { anonymousId, messageId, sourceId, userId } = call;
  const noBody = "noBody" in sent ? sent.noBody : null;
  const became = traceView(trace, call, parts);
  const bodyText = "body" in sent ? sent.body.toString("utf8") : null;
  return {
    ...{ messageId, sourceId, userId, anonymousId },
    // What endpoints have answered may name the user too.
    ...(noBody === "user_deleted" ? { ...became, ...NOTHING } : became),
    body: bodyText === null ? null : parseExactJson(bodyText),
    bodyText,
    noBody,
    requests: bodyText === null ? [] : requests(parts, { body: bodyText, messageId, trace }),
  };
}

interface Asked {
  readonly body: string;
  readonly messageId: string;
  readonly trace: Trace;
}

function requests(
  { delivery: { userAgent }, destinations }: SentCallParts,
  { body, messageId, trace: { attempts, destinationId } }: Asked,
): Static<typeof SentRequestView>[] {
  const destination = destinations.get(destinationId);
  if (destination === undefined) return [];
  return destination.webhooks.map((webhook) => {
    const atMs = attempts.findLast(({ url }) => url === webhook.url)?.startedAtMs;
    const { curl, headers } = sentRequest(webhook, destination, { body, messageId, userAgent, atMs });
    return {
      ...webhookFields(destinationId, webhook.url),
      ...{ sentAt: isoTimeOrNull(atMs), isAsSent: isAsSent(atMs, destination), headers, curl },
    };
  });
}
