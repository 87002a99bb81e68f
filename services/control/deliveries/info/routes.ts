// GET /v1/info: which release answers, how long what is kept, and what of calls can be looked up.
import { type Static, Type } from "typebox";
import { formatDuration } from "#contract";
import { KEPT_MS } from "#topics";
import { nullableTime } from "../../http/nullable.ts";
import type { ControlApp } from "../../http/server.ts";
import { IndexedUntilField, isoTimeOrNull } from "../../http/time-pages.ts";
import type { Indexed } from "../index/indexed.ts";
import type { InfoParts } from "./parts.ts";

const keptFor = (what: string) => Type.String({ description: `${what}; as in 7d or 6h.` });

const RecordedView = Type.Object(
  {
    keptFor: keptFor("How long the topic keeps it"),
    oldest: nullableTime("Time of the oldest that this process can look up; null when there is none."),
    newest: nullableTime("Time of the newest; null when nothing was recorded."),
    indexedUntil: IndexedUntilField,
  },
  { title: "Recorded", description: "How far back it can be looked up." },
);

const InfoView = Type.Object(
  {
    version: Type.String({ description: "Of the process that answers." }),
    audiences: Type.Boolean({ description: "False with HOOKLINE_AUDIENCES=off: there are no audiences." }),
    kept: Type.Object(
      {
        calls: keptFor("Accepted calls, and jobs, from which they are sent again"),
        deadLetters: keptFor("Dead letters, which can be replayed"),
        refusedCalls: keptFor("What ingest refused"),
        auditLog: keptFor("Entries of the audit log"),
      },
      { description: "How long topics keep records, unless the operator has set longer." },
    ),
    recorded: Type.Object(
      {
        maxRows: Type.Integer({ description: "Of each kind; the oldest leave first." }),
        attempts: RecordedView,
        statistics: RecordedView,
        calls: RecordedView,
        deadLetters: RecordedView,
        refusedCalls: RecordedView,
      },
      {
        description:
          "What there is of calls: requests (all or a selection), statistics, what routers record of calls, dead letters, what ingest refused.",
      },
    ),
  },
  { title: "Info", description: "The installation, as the answering process knows it." },
);

const KINDS = {
  attempts: { kind: "attempts", keptMs: KEPT_MS.deliveryAttempts },
  statistics: { kind: "totals", keptMs: KEPT_MS.dailyStats },
  calls: { kind: "routedCalls", keptMs: KEPT_MS.routedCalls },
  deadLetters: { kind: "deadLetters", keptMs: KEPT_MS.deadLetters },
  refusedCalls: { kind: "refusedCalls", keptMs: KEPT_MS.refusedCalls },
} as const satisfies Record<string, { readonly kind: Indexed; readonly keptMs: number }>;

const KEPT: Static<typeof InfoView>["kept"] = {
  calls: formatDuration(KEPT_MS.calls),
  deadLetters: formatDuration(KEPT_MS.deadLetters),
  refusedCalls: formatDuration(KEPT_MS.refusedCalls),
  auditLog: formatDuration(KEPT_MS.auditLog),
};

export function addInfoRoute(app: ControlApp, parts: InfoParts): void {
  app.get(
    "/v1/info",
    {
      schema: {
        tags: ["access"],
        operationId: "getInfo",
        summary: "The release, how long records are kept, and how far back calls can be looked up",
        response: { 200: InfoView },
      },
    },
    async () => {
      const { version, hasAudiences, maxRows } = parts.installation;
      return {
        version,
        audiences: hasAudiences,
        kept: KEPT,
        recorded: { maxRows, ...(await recorded(parts)) },
      };
    },
  );
}

async function recorded({ deliveries: { index, progress } }: InfoParts) {
  const spans = await index.spans();
  const viewOf = ({ kind, keptMs }: (typeof KINDS)[keyof typeof KINDS]): Static<typeof RecordedView> => ({
    keptFor: formatDuration(keptMs),
    oldest: isoTimeOrNull(spans[kind]?.oldestMs),
    newest: isoTimeOrNull(spans[kind]?.newestMs),
    indexedUntil: isoTimeOrNull(progress.indexedUntilMs(kind)),
  });
  return {
    attempts: viewOf(KINDS.attempts),
    statistics: viewOf(KINDS.statistics),
    calls: viewOf(KINDS.calls),
    deadLetters: viewOf(KINDS.deadLetters),
    refusedCalls: viewOf(KINDS.refusedCalls),
  };
}
