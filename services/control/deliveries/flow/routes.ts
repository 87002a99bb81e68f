// GET /v1/stats and GET /v1/sources/{id}/stats: what became of accepted calls.
import { type Static, Type } from "typebox";
import { IdParams, TimeField } from "../../http/fields.ts";
import { problemResponses } from "../../http/openapi.ts";
import type { ControlApp } from "../../http/server.ts";
import { isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import type { FlowSum } from "../index/flow-table.ts";
import { checkSource } from "../known-source.ts";
import { callFlow, grouped } from "./flow.ts";
import type { FlowRouteParts } from "./parts.ts";
import { countedUntilMs, readFlow } from "./read.ts";
import { CALL_FLOW_FIELDS, CountedUntilField } from "./schemas.ts";
import { readSteps, STEP_FIELDS, STEP_TEXT } from "./steps.ts";

const GROUPS = ["eventType"] as const;

const FlowQueryFields = Type.Object(
  {
    ...STEP_FIELDS,
    groupBy: Type.Optional(
      Type.Unsafe<(typeof GROUPS)[number]>({
        type: "string",
        enum: [...GROUPS],
        description: "eventType: an entry for each type of call in a step.",
      }),
    ),
  },
  { additionalProperties: false },
);

const FlowView = Type.Object(
  {
    from: TimeField,
    to: TimeField,
    data: Type.Array(
      Type.Object({
        at: Type.String({ format: "date-time", description: "Start of the step." }),
        eventType: Type.Optional(Type.String({ description: "Type of the calls, with groupBy=eventType." })),
        ...CALL_FLOW_FIELDS,
      }),
      { description: "By step, oldest first; steps without a call are left out." },
    ),
    total: Type.Object(CALL_FLOW_FIELDS, { description: "Of the whole range." }),
    countedUntil: CountedUntilField,
  },
  { title: "CallStats", description: "What became of calls, by the time at which they came." },
);

const DESCRIPTION = `Each call counts in the step in which it was accepted, from what routers record (HOOKLINE_RECORDED_CALLS=all, the default) and from dead letters; refused calls by what ingest tells of them. ${STEP_TEXT}`;

const schemaOf = (operationId: string, summary: string) => ({
  tags: ["deliveries"],
  operationId,
  summary,
  description: DESCRIPTION,
  querystring: FlowQueryFields,
  response: { 200: FlowView, ...problemResponses },
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

async function answer(parts: FlowRouteParts, query: Static<typeof FlowQueryFields>, sourceId?: string) {
  const range = readSteps(query, parts.nowMs());
  const countedUntil = isoTimeOrNull(countedUntilMs(parts));
  const sums = await readFlow(parts, { ...range, sourceId });
  return {
    ...{ from: isoTime(range.fromMs), to: isoTime(range.toMs) },
    data: entriesOf(sums, query.groupBy === "eventType"),
    total: callFlow(sums),
    countedUntil,
  };
}

function entriesOf(sums: readonly FlowSum[], byType: boolean): Static<typeof FlowView>["data"] {
  return grouped(sums, byType).map(({ atMs, type, sums: own }) => ({
    at: isoTime(atMs),
    ...(type !== undefined && { eventType: type }),
    ...callFlow(own),
  }));
}
