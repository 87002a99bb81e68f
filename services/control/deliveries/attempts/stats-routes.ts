import { Type } from "typebox";
import { IdParams, TimeField } from "../../http/fields.ts";
import type { ControlApp } from "../../http/server.ts";
import { IndexedUntilField, isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { entriesOf, totalOf } from "../flow/entries.ts";
import { deliveryFlow } from "../flow/flow.ts";
import { countedUntilMs, readCounts } from "../flow/read.ts";
import { statsOf } from "../flow/request-stats.ts";
import {
  CountedUntilField,
  DeliveryFlowView,
  GROUP_FIELDS,
  groupOf,
  REQUEST_FIELDS,
  STATS_QUERY,
} from "../flow/schemas.ts";
import type { StatsEntry } from "../flow/stats-entry.ts";
import { readSteps, STEP_TEXT } from "../flow/steps.ts";
import { checkDestination } from "./known.ts";
import type { AttemptParts } from "./parts.ts";

const STATS_FIELDS = { ...REQUEST_FIELDS, calls: DeliveryFlowView };

const StatsView = Type.Object(
  {
    from: TimeField,
    to: TimeField,
    data: Type.Array(
      Type.Object({
        minute: Type.String({ format: "date-time", description: "Start of the step." }),
        ...GROUP_FIELDS,
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

export function addStatsRoute(app: ControlApp, parts: AttemptParts): void {
  app.get(
    "/v1/destinations/:id/stats",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "getStats",
        summary:
          "Requests by outcome and how long they took, and what became of calls, by minute, hour or day",
        description: `Every request is counted, about ten seconds after it ended. ${STEP_TEXT}`,
        params: IdParams,
        querystring: STATS_QUERY,
        response: { 200: StatsView },
      },
    },
    async ({ params, query }) => {
      const destinationId = params.id;
      await checkDestination(parts, destinationId);
      const range = readSteps(query, parts.nowMs());
      const { progress } = parts.deliveries;
      const until = { indexedUntil: progress.indexedUntilMs("totals"), countedUntil: countedUntilMs(parts) };
      const counts = await readCounts(parts, { ...range, groupBy: query.groupBy, destinationId });
      return {
        ...{ from: isoTime(range.fromMs), to: isoTime(range.toMs) },
        data: entriesOf(counts, query.groupBy).map((entry) => ({
          ...{ minute: isoTime(entry.atMs), ...groupOf(entry, query.groupBy) },
          ...viewOf(entry),
        })),
        total: viewOf(totalOf(counts)),
        indexedUntil: isoTimeOrNull(until.indexedUntil),
        countedUntil: isoTimeOrNull(until.countedUntil),
      };
    },
  );
}

function viewOf({ isSettled, requests, sums }: Pick<StatsEntry, "isSettled" | "requests" | "sums">) {
  return { ...statsOf(requests), calls: deliveryFlow(sums, isSettled) };
}
