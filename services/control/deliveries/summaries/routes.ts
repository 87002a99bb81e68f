// GET /v1/stats/destinations: what a list of destinations shows beside each, in one answer for all of them.
import { type Static, Type } from "typebox";
import type { Host } from "#host";
import { nextTurn } from "../../http/next-turn.ts";
import type { ControlApp } from "../../http/server.ts";
import { IndexedUntilField, isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { statsOf } from "../flow/request-stats.ts";
import { REQUEST_FIELDS } from "../flow/schemas.ts";
import { readSteps, STEP_TEXT } from "../flow/steps.ts";
import type { FlowQuery } from "../index/flow-stages.ts";
import { add, NO_REQUESTS, type RequestCounts } from "../index/totals-table.ts";
import { summarizeWaiting, type WaitingSummary } from "../waiting/list.ts";
import { SummaryView, summaryView } from "../waiting/list-routes.ts";
import { idsIn, SUMMARIES_QUERY, summariesFields } from "./ids.ts";
import type { SummaryParts } from "./parts.ts";

const DestinationSummaryView = Type.Object(
  {
    destinationId: Type.String(),
    ...REQUEST_FIELDS,
    waiting: Type.Unsafe<Static<typeof SummaryView> | null>({
      anyOf: [SummaryView, { type: "null" }],
      description:
        "All that waits now, as in GET /v1/destinations/{id}/waiting; null while Kafka does not say, and where it is not asked for.",
    }),
  },
  { title: "DestinationSummary", description: "Requests of the range, and what waits." },
);

const DestinationsQuery = Type.Object({
  ...SUMMARIES_QUERY.properties,
  waiting: Type.Optional(
    Type.Boolean({
      default: true,
      description: "false: what waits is not read from Kafka, which may take four seconds.",
    }),
  ),
});

const NOT_ASKED: ReadonlyMap<string, WaitingSummary> = new Map();

const SummariesView = Type.Object(
  {
    ...summariesFields(DestinationSummaryView),
    indexedUntil: IndexedUntilField,
  },
  { description: "Summaries of destinations." },
);

export function addSummariesRoute(app: ControlApp, parts: SummaryParts): void {
  app.get(
    "/v1/stats/destinations",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "listDestinationSummaries",
        summary: "Requests by outcome, how long they took, and what waits, of several destinations",
        description: `For a page of a list, in one request instead of two for each. Every request is counted, about ten seconds after it ended. ${STEP_TEXT}`,
        querystring: DestinationsQuery,
        response: { 200: SummariesView },
      },
    },
    async ({ query: { ids: text, waiting: isAsked = true, ...query } }) => {
      const { deliveries, destinations, host, nowMs, waiting } = parts;
      const ids = idsIn(text).filter((id) => destinations.get(id) !== undefined);
      const range = readSteps(query, nowMs());
      const indexedUntilMs = deliveries.progress.indexedUntilMs("totals");
      const summaries = isAsked ? await summarizeWaiting(waiting, new Set(ids), host) : NOT_ASKED;
      const data: Static<typeof DestinationSummaryView>[] = [];
      for (const destinationId of ids) {
        const stats = statsOf(await requestsOf(parts, { ...range, destinationId }));
        data.push({ destinationId, ...stats, waiting: summaryView(summaries.get(destinationId)) });
      }
      return {
        ...{ from: isoTime(range.fromMs), to: isoTime(range.toMs), data },
        indexedUntil: isoTimeOrNull(indexedUntilMs),
      };
    },
  );
}

/** A turn for each: of days there are hundreds of rows. */
async function requestsOf(
  { deliveries, host }: Pick<SummaryParts, "deliveries"> & { readonly host: Pick<Host, "setImmediate"> },
  query: FlowQuery,
): Promise<RequestCounts> {
  await nextTurn(host);
  return deliveries.index.sumRequests(query).reduce((sum, { counts }) => add(sum, counts), NO_REQUESTS);
}
