import { type Static, Type } from "typebox";
import { formatDuration } from "#contract";
import { KEPT_MS } from "#topics";
import { add } from "../delivery-index/totals-table.ts";
import { IdParams, TimeField } from "../http/fields.ts";
import { problemResponses } from "../http/openapi.ts";
import { refused } from "../http/problem.ts";
import type { ControlApp } from "../http/server.ts";
import { IndexedUntilField, isoTime, isoTimeOrNull, RANGE_FIELDS, readRange } from "../http/time-pages.ts";
import { checkDestination } from "./known.ts";
import type { AttemptParts } from "./parts.ts";
import { statsOf } from "./stats.ts";

const MINUTE_MS = 60_000;
const DEFAULT_RANGE_MS = 60 * MINUTE_MS;
/** No more is kept. */
const MAX_RANGE_MS = KEPT_MS.deliveryTotals;

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
};

const StatsView = Type.Object(
  {
    from: TimeField,
    to: TimeField,
    data: Type.Array(Type.Object({ minute: TimeField, ...STATS_FIELDS }), {
      description: "By minute, oldest first; minutes in which nothing ended are left out.",
    }),
    total: Type.Object(STATS_FIELDS, { description: "Of the whole range." }),
    indexedUntil: IndexedUntilField,
  },
  { description: "Statistics of a destination, of all deliverers together." },
);

const StatsQuery = Type.Object(RANGE_FIELDS, { additionalProperties: false });

export function addStatsRoute(app: ControlApp, parts: AttemptParts): void {
  app.get(
    "/v1/destinations/:id/stats",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "getStats",
        summary: "Requests by outcome and their durations, per minute",
        description:
          "Every request is counted, about ten seconds after it ended; the last hour unless asked otherwise.",
        params: IdParams,
        querystring: StatsQuery,
        response: { 200: StatsView, ...problemResponses },
      },
    },
    async ({ params, query }) => {
      const destinationId = params.id;
      await checkDestination(parts, destinationId);
      const { fromMs, toMs } = wholeMinutes(query, parts.nowMs());
      const { index, progress } = parts.deliveries;
      const minutes = index.listMinutes({ destinationId, fromMs, toMs });
      return {
        from: isoTime(fromMs),
        to: isoTime(toMs),
        data: minutes.map((minute) => ({ minute: isoTime(minute.minuteMs), ...statsOf(minute) })),
        total: statsOf(minutes.reduce(add, { outcomes: {}, durationCounts: [] })),
        indexedUntil: isoTimeOrNull(progress.indexedUntilMs("totals")),
      };
    },
  );
}

/** The minutes that the range touches. */
function wholeMinutes(query: Static<typeof StatsQuery>, nowMs: number) {
  const range = readRange(query);
  const to = range.toMs ?? nowMs;
  const fromMs = Math.floor((range.fromMs ?? to - DEFAULT_RANGE_MS) / MINUTE_MS) * MINUTE_MS;
  const toMs = Math.ceil(to / MINUTE_MS) * MINUTE_MS;
  if (toMs - fromMs > MAX_RANGE_MS + MINUTE_MS)
    throw refused([{ path: "from", message: `is more than ${formatDuration(MAX_RANGE_MS)} before to` }]);
  return { fromMs, toMs };
}
