// GET /v1/stats and GET /v1/sources/{id}/stats: what became of accepted calls.
import { type Static, Type } from "typebox";
import { IdParams, TimeField } from "../../http/fields.ts";
import type { ControlApp } from "../../http/server.ts";
import { isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { checkSource } from "../known-source.ts";
import { entriesOf, totalOf } from "./entries.ts";
import { callFlow } from "./flow.ts";
import type { FlowRouteParts } from "./parts.ts";
import { countedUntilMs, readCounts } from "./read.ts";
import { statsOf } from "./request-stats.ts";
import {
  CALL_FLOW_FIELDS,
  CountedUntilField,
  GROUP_FIELDS,
  groupOf,
  RequestsView,
  STATS_QUERY,
} from "./schemas.ts";
import type { StatsEntry } from "./stats-entry.ts";
import { readSteps, STEP_TEXT } from "./steps.ts";

const STATS_FIELDS = { ...CALL_FLOW_FIELDS, requests: RequestsView };

const FlowView = Type.Object(
  {
    from: TimeField,
    to: TimeField,
    data: Type.Array(
      Type.Object({
        at: Type.String({ format: "date-time", description: "Start of the step." }),
        ...GROUP_FIELDS,
        ...STATS_FIELDS,
      }),
      { description: "By step, oldest first; steps without a call are left out." },
    ),
    total: Type.Object(STATS_FIELDS, { description: "Of the whole range." }),
    countedUntil: CountedUntilField,
  },
  { title: "CallStats", description: "What became of calls, by the time at which they came." },
);

const DESCRIPTION = `Each call counts in the step in which it was accepted, from what routers record (HOOKLINE_RECORDED_CALLS=all, the default) and from dead letters; refused calls by what ingest tells of them; requests when they ended. ${STEP_TEXT}`;

const schemaOf = (operationId: string, summary: string) => ({
  tags: ["deliveries"],
  operationId,
  summary,
  description: DESCRIPTION,
  querystring: STATS_QUERY,
  response: { 200: FlowView },
});

export function addFlowRoutes(app: ControlApp, parts: FlowRouteParts): void {
  app.get(
    "/v1/stats",
    { schema: schemaOf("getCallStats", "What became of the calls of all sources") },
    async ({ query }) => await answer(parts, query),
  );
  app.get(
    "/v1/sources/:id/stats",
    { schema: { ...schemaOf("getSourceStats", "What became of a source's calls"), params: IdParams } },
    async ({ params, query }) => {
      await checkSource(parts, params.id);
      return await answer(parts, query, params.id);
    },
  );
}

async function answer(parts: FlowRouteParts, query: Static<typeof STATS_QUERY>, sourceId?: string) {
  const range = readSteps(query, parts.nowMs());
  const countedUntil = isoTimeOrNull(countedUntilMs(parts));
  const counts = await readCounts(parts, { ...range, groupBy: query.groupBy, sourceId });
  return {
    ...{ from: isoTime(range.fromMs), to: isoTime(range.toMs) },
    data: entriesOf(counts, query.groupBy).map((entry) => ({
      ...{ at: isoTime(entry.atMs), ...groupOf(entry, query.groupBy) },
      ...viewOf(entry),
    })),
    total: viewOf(totalOf(counts)),
    countedUntil,
  };
}

function viewOf({ isSettled, requests, sums }: Pick<StatsEntry, "isSettled" | "requests" | "sums">) {
  return { ...callFlow(sums, isSettled), requests: statsOf(requests) };
}
