// GET /v1/audiences/{id}/sizes.
import { type Static, Type } from "typebox";
import { UNITS_MS } from "#contract";
import { AUDIENCE_SIZES_KEPT_MS } from "#topics";
import { IdParams, TimeField } from "../../http/fields.ts";
import { nullableInteger } from "../../http/nullable.ts";
import { ProblemError } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { readStepRange, type StepRule } from "../../http/step-range.ts";
import { isoTime, RANGE_FIELDS } from "../../http/time-pages.ts";
import type { AudienceParts } from "./parts.ts";
import { existing } from "./resource.ts";
import { sizeSteps } from "./sizes.ts";

const STEPS = ["hour", "day"] as const;
const RULES: Readonly<Record<(typeof STEPS)[number], StepRule>> = {
  hour: { stepMs: UNITS_MS.h, defaultMs: UNITS_MS.d, maxMs: 31 * UNITS_MS.d },
  day: { stepMs: UNITS_MS.d, defaultMs: 30 * UNITS_MS.d, maxMs: AUDIENCE_SIZES_KEPT_MS },
};

const SizesQuery = Type.Object({
  ...RANGE_FIELDS,
  step: Type.Optional(
    Type.Unsafe<(typeof STEPS)[number]>({
      type: "string",
      enum: [...STEPS],
      default: "day",
      description: "What one entry counts; days are those of UTC.",
    }),
  ),
});

const SizesView = Type.Object(
  {
    from: TimeField,
    to: TimeField,
    data: Type.Array(
      Type.Object({
        at: Type.String({ format: "date-time", description: "Start of the step." }),
        size: nullableInteger("Members at the end of the step, or by now."),
        entered: nullableInteger("Users who have entered in it."),
        left: nullableInteger("Users who have left in it."),
      }),
      { description: "Every step, oldest first; null where nobody had counted yet." },
    ),
  },
  { title: "AudienceSizes", description: "How many were in an audience over time." },
);

export function addSizeRoute(app: ControlApp, parts: AudienceParts): void {
  app.get(
    "/v1/audiences/:id/sizes",
    {
      schema: {
        tags: ["audiences"],
        operationId: "getSizes",
        summary: "How many were in an audience, and how many entered and left, by hour or day",
        description:
          "Counts are some seconds old, and kept for 13 months. The last 30 days unless asked otherwise; hours of at most 31 days, the last day.",
        params: IdParams,
        querystring: SizesQuery,
        response: { 200: SizesView },
      },
    },
    async ({ params, query }): Promise<Static<typeof SizesView>> => {
      const { id } = existing(parts, "audience", params.id);
      const range = readStepRange(query, RULES[query.step ?? "day"], parts.nowMs());
      if (!parts.sizeRows.isCounted(parts.profilePartitions))
        throw new ProblemError("unavailable", "an audience processor of this version has not counted yet");
      const data = sizeSteps(parts.sizeRows.of(id), range);
      return {
        ...{ from: isoTime(range.fromMs), to: isoTime(range.toMs) },
        data: data.map(({ atMs, ...counts }) => ({ at: isoTime(atMs), ...counts })),
      };
    },
  );
}
