// GET /v1/audit: who changed what.
import { Type } from "typebox";
import { formatDuration } from "#contract";
import { type AuditEntry, KEPT_MS } from "#topics";
import { TimeField } from "../fields.ts";
import { nullableString } from "../nullable.ts";
import { problemResponses } from "../openapi.ts";
import { fitting } from "../pages.ts";
import { ProblemError } from "../problem.ts";
import { refreshAll } from "../refresh.ts";
import type { ControlApp } from "../server.ts";
import {
  isoTime,
  type Mark,
  PAGE_FIELDS,
  RANGE_FIELDS,
  readPage,
  readRange,
  timePage,
} from "../time-pages.ts";
import { AUDIT_ACTIONS, AUDITED_RESOURCES } from "./audit.ts";
import { masked } from "./changes.ts";
import type { AuditLogParts, AuditNote } from "./parts.ts";

const Action = Type.Unsafe<string>({ type: "string", enum: AUDIT_ACTIONS });
const Resource = Type.Unsafe<string>({ type: "string", enum: AUDITED_RESOURCES });
const Shown = (description: string) =>
  Type.Unsafe<unknown>({ type: ["object", "null"], additionalProperties: true, description });

const AuditEntryView = Type.Object(
  {
    id: Type.String(),
    at: TimeField,
    token: Type.String({
      description:
        "Name of the token; local where none is configured, control for what control does by itself.",
    }),
    requestId: nullableString("X-Request-Id of the request."),
    action: Action,
    resource: Resource,
    resourceId: Type.String(),
    before: Shown(
      "Of an edit the fields that it changed, before it; null of what is new. Without secrets; a field of more than 4,000 characters says only how long it is.",
    ),
    after: Shown("As `before`, after it; null of what is gone."),
    isMade: Type.Boolean({
      description:
        "False: the change was refused behind its entry, as another process had changed the same thing; nothing of it was written.",
    }),
  },
  {
    title: "AuditEntry",
    description: "One change. It is written before the change: one that Kafka then did not take is here too.",
  },
);

const AuditQuery = Type.Object(
  {
    token: Type.Optional(Type.String({ minLength: 1 })),
    action: Type.Optional(Action),
    resource: Type.Optional(Resource),
    resourceId: Type.Optional(Type.String({ minLength: 1 })),
    ...RANGE_FIELDS,
    ...PAGE_FIELDS,
  },
  { additionalProperties: false },
);

export function addAuditRoute(app: ControlApp, { auditLog, host }: AuditLogParts): void {
  app.get(
    "/v1/audit",
    {
      schema: {
        tags: ["audit"],
        operationId: "listAuditEntries",
        summary: "Who changed what, newest first",
        description: `Kept for ${formatDuration(KEPT_MS.auditLog)}.`,
        querystring: AuditQuery,
        response: {
          200: Type.Object(
            {
              data: Type.Array(AuditEntryView),
              next: nullableString("Give it as `after`; null on the last page."),
            },
            { description: "One page of the list, newest first." },
          ),
          ...problemResponses,
        },
      },
    },
    async ({ query, signal }) => {
      if (!auditLog.isLoaded) throw new ProblemError("unavailable", "the audit log is still being read");
      const isMeant = filterOf(query);
      const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = readRange(query);
      const { limit, behind } = readPage(query);
      // What was answered is listed, whichever process wrote it.
      await refreshAll([auditLog], host);
      const found = auditLog
        .list()
        .filter((entry) => isMeant(entry) && entry.atMs >= fromMs && entry.atMs < toMs)
        .filter((entry) => behind === undefined || newestFirst(behind, markOf(entry)) < 0)
        // Most differ in their times: a hundred thousand take 30 ms then, and a third of a second by their marks.
        .toSorted((one, other) => other.atMs - one.atMs || newestFirst(markOf(one), markOf(other)));
      // Entries of the version before have whole things of half a megabyte.
      const shown = fitting(found.slice(0, limit - 1), ({ size }) => size);
      const { data, next } = timePage(found, { limit: shown.length }, markOf);
      const whole = await auditLog.read(data, signal);
      return { data: data.map((note) => auditEntryView(note, whole.get(note.id))), next };
    },
  );
}

type Asked = Partial<Record<"token" | "action" | "resource" | "resourceId", string>>;

function filterOf({ action, resource, resourceId, token }: Asked): (entry: AuditNote) => boolean {
  const all = Object.entries({ token, action, resource, resourceId });
  const asked = all.filter(([, value]) => value !== undefined);
  return (entry) => asked.every(([field, value]) => entry[field as keyof AuditNote] === value);
}

const HEX_DIGITS = 12;
/** Entries of the same millisecond are told apart by their random ids. */
function markOf({ id, atMs }: Pick<AuditNote, "id" | "atMs">): Mark {
  return { atMs, place: Number.parseInt(id.slice(-HEX_DIGITS), 16) };
}

function newestFirst(one: Mark, other: Mark): number {
  return other.atMs - one.atMs || other.place - one.place;
}

function auditEntryView({ atMs, place, size, ...note }: AuditNote, entry: AuditEntry | undefined) {
  const shown = (json: string | null | undefined): object | null =>
    json === null || json === undefined ? null : masked(JSON.parse(json));
  return { ...note, at: isoTime(atMs), before: shown(entry?.before), after: shown(entry?.after) };
}
