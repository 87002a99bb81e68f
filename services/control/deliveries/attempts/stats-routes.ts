import { Type } from "typebox";
import { KEPT_MS } from "#topics";
import { IdParams, TimeField } from "../../http/fields.ts";
import { problemResponses } from "../../http/openapi.ts";
import type { ControlApp } from "../../http/server.ts";
import { IndexedUntilField, isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { deliveryFlow, grouped } from "../flow/flow.ts";
import { countedUntilMs, readFlow } from "../flow/read.ts";
import { CountedUntilField, DeliveryFlowView } from "../flow/schemas.ts";
import { readSteps, STEP_FIELDS } from "../flow/steps.ts";
import type { FlowSum } from "../index/flow-table.ts";
import { add, type Minute } from "../index/totals-table.ts";
import { checkDestination } from "./known.ts";
import type { AttemptParts } from "./parts.ts";
import { statsOf } from "./stats.ts";

const percentile = Type.Unsafe<number | null>({
  type: ["number", "null"],
  description: "Milliseconds, to within a quarter; null without requests.",
});

const STATS_FIELDS = {
  attempts: Type.Record(Type.String(), Type.Integer(), {
    description:
      "Requests by outcome: success or a reason; diverted counts calls that were put off without a request.",
  }),
  p50Ms: percentile,
  p95Ms: percentile,
  p99Ms: percentile,
  calls: DeliveryFlowView,
};

const StatsView = Type.Object(
  {
    from: TimeField,
    to: TimeField,
    data: Type.Array(
      Type.Object({
        minute: Type.String({ format: "date-time", description: "Start of the step." }),
        ...STATS_FIELDS,
      }),
      {
        description:
          "By step, oldest first; steps without a request and a call are left out. Requests count when they ended, calls when they were accepted.",
      },
    ),
    total: Type.Object(STATS_FIELDS, { description: "Of the whole range." }),
    indexedUntil: IndexedUntilField,
    countedUntil: CountedUntilField,
  },
  { description: "Statistics of a destination, of all deliverers together." },
);

const StatsQuery = Type.Object(STEP_FIELDS, { additionalProperties: false });

export function addStatsRoute(app: ControlApp, parts: AttemptParts): void {
  app.get(
    "/v1/destinations/:id/stats",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "getStats",
        summary: "Requests by outcome and their durations, and what became of calls, by minute, hour or day",
        description:
          "Every request is counted, about ten seconds after it ended. The last hour unless asked otherwise, of hours the last day, of days all that is kept.",
        params: IdParams,
        querystring: StatsQuery,
        response: { 200: StatsView, ...problemResponses },
      },
    },
    async ({ params, query }) => {
      const destinationId = params.id;
      await checkDestination(parts, destinationId);
      const range = readSteps(query, parts.nowMs(), KEPT_MS.deliveryTotals);
      const { index, progress } = parts.deliveries;
      const until = { indexedUntil: progress.indexedUntilMs("totals"), countedUntil: countedUntilMs(parts) };
      const sums = await readFlow(parts, { ...range, destinationId });
      const minutes = index.listMinutes({ destinationId, ...range });
      return {
        ...{ from: isoTime(range.fromMs), to: isoTime(range.toMs) },
        data: entriesOf(minutes, sums, range.stepMs),
        total: entryOf(minutes, sums),
        indexedUntil: isoTimeOrNull(until.indexedUntil),
        countedUntil: isoTimeOrNull(until.countedUntil),
      };
    },
  );
}

function entryOf(minutes: readonly Minute[], sums: readonly FlowSum[]) {
  const requests = statsOf(minutes.reduce(add, { outcomes: {}, durationCounts: [] }));
  return { ...requests, calls: deliveryFlow(sums) };
}

/** Steps in which requests ended or calls were accepted. */
function entriesOf(minutes: readonly Minute[], sums: readonly FlowSum[], stepMs: number) {
  const stepOf = (atMs: number): number => Math.floor(atMs / stepMs) * stepMs;
  const requests = Map.groupBy(minutes, ({ minuteMs }) => stepOf(minuteMs));
  const calls = new Map(grouped(sums, false).map((group) => [group.atMs, group.sums]));
  return [...new Set([...requests.keys(), ...calls.keys()])]
    .toSorted((one, other) => one - other)
    .map((atMs) => ({
      minute: isoTime(atMs),
      ...entryOf(requests.get(atMs) ?? [], calls.get(atMs) ?? []),
    }));
}
