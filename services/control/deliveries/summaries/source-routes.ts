// GET /v1/stats/sources: what a list of sources shows beside each.
import { type Static, Type } from "typebox";
import { nextTurn } from "../../http/next-turn.ts";
import type { ControlApp } from "../../http/server.ts";
import { isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { callFlow } from "../flow/flow.ts";
import { countedUntilMs } from "../flow/read.ts";
import { CALL_FLOW_FIELDS, CountedUntilField } from "../flow/schemas.ts";
import { readSteps, STEP_TEXT } from "../flow/steps.ts";
import { isPresent } from "../known-source.ts";
import { idsIn, SUMMARIES_QUERY, summariesFields } from "./ids.ts";
import type { SourceSummaryParts } from "./parts.ts";

const { accepted, received, refused } = CALL_FLOW_FIELDS;
const SourceSummaryView = Type.Object(
  { sourceId: Type.String(), received, refused, accepted },
  { title: "SourceSummary", description: "What came of a source in the range." },
);

const SummariesView = Type.Object(
  {
    ...summariesFields(SourceSummaryView),
    countedUntil: CountedUntilField,
  },
  { description: "Summaries of sources." },
);

export function addSourceSummariesRoute(app: ControlApp, parts: SourceSummaryParts): void {
  app.get(
    "/v1/stats/sources",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "listSourceSummaries",
        summary: "How many calls came of several sources, and how many of them were refused",
        description: `Counted as in GET /v1/stats, for a page of a list in one request. ${STEP_TEXT}`,
        querystring: SUMMARIES_QUERY,
        response: { 200: SummariesView },
      },
    },
    async ({ query: { ids: text, ...query } }) => {
      const { deliveries, host, nowMs } = parts;
      const ids = idsIn(text).filter((id) => isPresent(parts, id));
      const range = readSteps(query, nowMs());
      const untilMs = countedUntilMs(parts);
      const data: Static<typeof SourceSummaryView>[] = [];
      for (const sourceId of ids) {
        await nextTurn(host);
        // Nothing is asked about what waits: nobody asks how it ended.
        const flow = callFlow(await deliveries.index.sumFlow({ ...range, sourceId }), false);
        data.push({ sourceId, received: flow.received, refused: flow.refused, accepted: flow.accepted });
      }
      return {
        ...{ from: isoTime(range.fromMs), to: isoTime(range.toMs), data },
        countedUntil: isoTimeOrNull(untilMs),
      };
    },
  );
}
