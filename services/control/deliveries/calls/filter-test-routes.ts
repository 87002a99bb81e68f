// POST /v1/filters/test.
import { type Static, Type } from "typebox";
import { formatDuration, isJsonObject, SELECTION_FIELDS, type Selection, TAKES_ALL } from "#contract";
import { KEPT_MS } from "#topics";
import { nullableString } from "../../http/nullable.ts";
import { PassedOverReasonField } from "../../http/reason-fields.ts";
import type { ControlApp } from "../../http/server.ts";
import { isoTime } from "../../http/time-pages.ts";
import { USER_VIEW } from "../../http/user-fields.ts";
import { checkBody } from "../../http/validation.ts";
import { OPTIONAL_FIELDS } from "../../resources/destinations/options/patch.ts";
import { filterProblems } from "../../resources/destinations/options/rules.ts";
import { OPTIONS } from "../../resources/destinations/options/table.ts";
import { checkSource, type KnownSourceParts } from "../known-source.ts";
import {
  type FilterTested,
  type FilterTestWork,
  type JudgedCall,
  MOST_CHARACTERS,
  MOST_WHY,
  testFilter,
} from "./filter-test.ts";

export interface FilterTestParts extends KnownSourceParts, Omit<FilterTestWork, "index" | "host"> {
  readonly deliveries: { readonly index: FilterTestWork["index"] };
  readonly host: FilterTestWork["host"];
}

const MOST_CALLS = 100;

const SELECTION = Object.fromEntries(SELECTION_FIELDS.map((name) => [name, OPTIONAL_FIELDS[name]])) as Pick<
  typeof OPTIONAL_FIELDS,
  keyof Selection
>;

const FilterTestBody = Type.Object(
  {
    sourceId: Type.String({ minLength: 1, description: "Whose last calls are looked at." }),
    filter: OPTIONS.filter.schema,
    ...SELECTION,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_CALLS, default: MOST_CALLS })),
  },
  { additionalProperties: false },
);

const TestedCall = Type.Object(
  {
    acceptedAt: Type.String({ format: "date-time" }),
    messageId: Type.String(),
    ...USER_VIEW,
    type: Type.String(),
    event: nullableString("Name of a track call."),
    isSent: Type.Boolean(),
    reason: Type.Unsafe<string | null>({
      anyOf: [PassedOverReasonField, { type: "null" }],
      description: "Why it would not be sent.",
    }),
    why: Type.Array(
      Type.Object({
        path: Type.String({ description: "Where the condition stands: filter.all[0]" }),
        holds: Type.Boolean(),
        value: Type.Unsafe<unknown>({
          description: `What the call has there, null for nothing; of more than ${MOST_CHARACTERS} characters the beginning, as a text.`,
        }),
      }),
      {
        description: `The conditions that decide together, at most ${MOST_WHY}; none where the filter is not asked: deletions are sent whatever it says.`,
      },
    ),
  },
  { title: "TestedCall" },
);

const FilterTestView = Type.Object(
  {
    sent: Type.Integer({ description: "How many of the calls would be sent." }),
    passedOver: Type.Record(Type.String(), Type.Integer(), { description: "The others, by reason." }),
    isWhole: Type.Boolean({ description: "False where five seconds were too short for all of them." }),
    calls: Type.Array(TestedCall, { description: "Newest first." }),
  },
  { title: "FilterTest", description: "What a filter would do with the last calls of a source." },
);

export function addFilterTestRoute(app: ControlApp, parts: FilterTestParts): void {
  app.post(
    "/v1/filters/test",
    {
      attachValidation: true,
      // It changes nothing.
      config: { scope: "read" },
      schema: {
        tags: ["destinations"],
        operationId: "testFilter",
        summary: "Which of a source's last calls a filter would send, and why; nothing is sent",
        description: `Judges as a router would, of a destination with these ${SELECTION_FIELDS.map((name) => `\`${name}\``).join(", ")} and \`filter\`. The calls are read from the log, which has those of ${formatDuration(KEPT_MS.calls)}; of a source that is rare among the others, the older ones as far as routers record calls.`,
        body: FilterTestBody,
        response: { 200: FilterTestView },
      },
    },
    async (request): Promise<Static<typeof FilterTestView>> => {
      const { body } = request;
      checkBody(request, isJsonObject(body) ? filterProblems(body.filter, { before: undefined }) : []);
      const { filter, limit = MOST_CALLS, sourceId, ...given } = body;
      await checkSource(parts, sourceId);
      const { index } = parts.deliveries;
      const stored = OPTIONS.filter.store(filter);
      const asked = { ...TAKES_ALL, ...given, sourceId, filter: stored, limit };
      return viewOf(await testFilter({ ...parts, index }, asked));
    },
  );
}

function viewOf({ isWhole, judged }: FilterTested): Static<typeof FilterTestView> {
  const passedOver: Record<string, number> = {};
  for (const { reason } of judged)
    if (reason !== undefined) passedOver[reason] = (passedOver[reason] ?? 0) + 1;
  const sent = judged.filter(({ reason }) => reason === undefined).length;
  return { sent, passedOver, isWhole, calls: judged.map(callView) };
}

function callView({ call, reason, why }: JudgedCall): Static<typeof TestedCall> {
  const { anonymousId, event, messageId, receivedAtMs, type, userId } = call;
  return {
    acceptedAt: isoTime(receivedAtMs),
    ...{ messageId, userId, anonymousId, type, event },
    isSent: reason === undefined,
    reason: reason ?? null,
    why: [...why],
  };
}
