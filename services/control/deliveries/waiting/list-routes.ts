// GET /v1/destinations/{id}/waiting.
import { type Static, Type } from "typebox";
import { userIn } from "#contract";
import { IdParams, TimeField } from "../../http/fields.ts";
import { nullableString } from "../../http/nullable.ts";
import { DEFAULT_LIMIT, pageFields } from "../../http/pages.ts";
import { refused } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { USER_VIEW } from "../../http/user-fields.ts";
import { existingDestination } from "../../resources/destinations/existing.ts";
import { listWaiting, type WaitingList, type WaitingSummary } from "./list.ts";
import type { WaitingListParts } from "./parts.ts";
import { WaitingQuery, waitingTest } from "./query.ts";
import type { WaitingPlace } from "./stretches.ts";
import { WAITING_FIELDS, waitingView } from "./view.ts";

const WaitingView = Type.Object(
  {
    messageId: Type.String(),
    sourceId: Type.String(),
    ...USER_VIEW,
    type: Type.String({ description: "Of the call." }),
    receivedAt: TimeField,
    ...WAITING_FIELDS,
  },
  { title: "WaitingCall", description: "A call that waits for the destination." },
);

export const SummaryView = Type.Object(
  {
    calls: Type.Integer({ description: "Calls that wait; at least so many when isComplete is false." }),
    oldestReceivedAt: nullableString("When the call was accepted that has waited longest."),
    isComplete: Type.Boolean({ description: "False: there are more than could be counted in four seconds." }),
  },
  { title: "WaitingSummary", description: "All that waits, and is asked for." },
);

const WaitingPage = Type.Object(
  {
    ...pageFields(WaitingView),
    summary: Type.Unsafe<Static<typeof SummaryView> | null>({
      anyOf: [SummaryView, { type: "null" }],
      description: "Of the first page; null on the others.",
    }),
  },
  { description: "A page of the calls that wait." },
);

export function addWaitingRoute(app: ControlApp, parts: WaitingListParts): void {
  app.get(
    "/v1/destinations/:id/waiting",
    {
      schema: {
        tags: ["waiting calls"],
        operationId: "listWaitingCalls",
        summary: "What waits for a destination, and when each call is attempted next",
        description:
          "Read from Kafka at this moment, by the topics in which calls wait, shortest delay first, and within one in the order of their time. A call whose request is under way still counts. A page may have fewer entries than asked for, and a next one all the same, when much waits for others.",
        params: IdParams,
        querystring: WaitingQuery,
        response: { 200: WaitingPage },
      },
    },
    async ({ params, query: { after, limit = DEFAULT_LIMIT, ...narrowing } }) => {
      const { id: destinationId } = existingDestination(parts, params.id);
      const found = await listWaiting(
        parts.waiting,
        {
          destinationId,
          limit,
          means: waitingTest(destinationId, narrowing),
          after: after === undefined ? undefined : readCursor(after),
        },
        parts.host,
      );
      return pageView(found);
    },
  );
}

function pageView({ jobs, next, summary }: WaitingList): Static<typeof WaitingPage> {
  return {
    data: jobs.map((waiting) => {
      const { messageId, receivedAtMs, sourceId, type } = waiting.job;
      const call = { messageId, sourceId, ...userIn(waiting.job), type, receivedAt: isoTime(receivedAtMs) };
      return { ...call, ...waitingView(waiting) };
    }),
    next: next === undefined ? null : cursorOf(next),
    summary: summaryView(summary),
  };
}

export function summaryView(summary: WaitingSummary | undefined): Static<typeof SummaryView> | null {
  if (summary === undefined) return null;
  const { calls, isComplete, oldestReceivedAtMs } = summary;
  return { calls, oldestReceivedAt: isoTimeOrNull(oldestReceivedAtMs), isComplete };
}

function cursorOf({ offset, partition, topic }: WaitingPlace): string {
  return Buffer.from(`${topic}:${partition}:${offset}`).toString("base64url");
}

function readCursor(cursor: string): WaitingPlace {
  const text = Buffer.from(cursor, "base64url").toString();
  // Before the first offset where nothing was read in time.
  const [, topic, partition, offset] = /^(\d{1,3}):(\d{1,5}):(-1|\d{1,16})$/.exec(text) ?? [];
  if (topic === undefined || partition === undefined || offset === undefined)
    throw refused([{ path: "after", message: "is not a cursor that this list gave" }]);
  return { topic: Number(topic), partition: Number(partition), offset: Number(offset) };
}
