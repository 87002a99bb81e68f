// GET /v1/audit: who changed what.
import { Type } from "typebox";
import { formatDuration } from "#contract";
import { type AuditEntry, KEPT_MS } from "#topics";
import { TimeField } from "../fields.ts";
import { nullableString } from "../nullable.ts";
import { fitting } from "../pages.ts";
import { refreshAll } from "../refresh.ts";
import { scan } from "../scan.ts";
import type { ControlApp } from "../server.ts";
import {
  cursorOf,
  isoTime,
  PAGE_FIELDS,
  RANGE_FIELDS,
  readRange,
  readScannedPage,
  SCANNED_TEXT,
} from "../time-pages.ts";
import { TOTAL_FIELDS, totalOf } from "../totals.ts";
import { AUDIT_ACTIONS, AUDITED_RESOURCES } from "./audit.ts";
import { masked } from "./changes.ts";
import type { AuditNote, AuditRouteParts } from "./parts.ts";

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

const AuditQuery = Type.Object({
  token: Type.Optional(Type.String({ minLength: 1 })),
  action: Type.Optional(Action),
  resource: Type.Optional(Resource),
  resourceId: Type.Optional(Type.String({ minLength: 1 })),
  ...RANGE_FIELDS,
  ...PAGE_FIELDS,
});

export function addAuditRoute(app: ControlApp, { auditLog, host }: AuditRouteParts): void {
  app.get(
    "/v1/audit",
    {
      schema: {
        tags: ["audit"],
        operationId: "listAuditEntries",
        summary: "Who changed what, newest first",
        description: `Kept for ${formatDuration(KEPT_MS.auditLog)}. ${SCANNED_TEXT}`,
        querystring: AuditQuery,
        response: {
          200: Type.Object(
            {
              data: Type.Array(AuditEntryView),
              next: nullableString("Give it as `after`; null on the last page."),
              ...TOTAL_FIELDS,
            },
            { description: "One page of the list, newest first." },
          ),
        },
      },
    },
    async ({ query, signal }) => {
      const { resourceId } = query;
      const range = readRange(query);
      // What was answered is listed, whichever process wrote it.
      await refreshAll([auditLog], host);
      const { found, next } = await scan({
        read: (page) => auditLog.list({ resourceId, ...range }, page),
        accepts: filterOf(query),
        markOf: ({ atMs, place }) => ({ atMs, place }),
        page: readScannedPage(query),
        host,
      });
      // Entries of the version before have whole things of half a megabyte.
      const shown = fitting(found, ({ size }) => size);
      const last = shown.length < found.length ? shown.at(-1) : next;
      const whole = await auditLog.read(shown, signal);
      const isLast = last === undefined;
      return {
        data: shown.map((note) => auditEntryView(note, whole.get(note.id))),
        next: isLast ? null : cursorOf(last),
        ...(await totalOf({ after: query.after, data: shown, isLast, count: undefined })),
      };
    },
  );
}

type Asked = Partial<Record<"token" | "action" | "resource", string>>;

function filterOf({ action, resource, token }: Asked): (entry: AuditNote) => boolean {
  const all = Object.entries({ token, action, resource });
  const asked = all.filter(([, value]) => value !== undefined);
  return (entry) => asked.every(([field, value]) => entry[field as keyof AuditNote] === value);
}

function auditEntryView({ atMs, place, size, ...note }: AuditNote, entry: AuditEntry | undefined) {
  const shown = (json: string | null | undefined): object | null =>
    json === null || json === undefined ? null : masked(JSON.parse(json));
  return { ...note, at: isoTime(atMs), before: shown(entry?.before), after: shown(entry?.after) };
}
