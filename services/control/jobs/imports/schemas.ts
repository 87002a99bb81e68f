import type { Readable } from "node:stream";
import { type Static, Type } from "typebox";
import type { MembershipImport } from "#topics";
import { TimeField } from "../../http/fields.ts";
import { nullableString } from "../../http/nullable.ts";
import { isoTime } from "../../http/time-pages.ts";
import type { Affected } from "./affected.ts";
import { IMPORT_MODES, IMPORT_STATES, type ImportMode, type ImportState } from "./import.ts";

export const ImportParams = Type.Object({
  id: Type.String({ description: "Of a list." }),
  importId: Type.String({
    pattern: "^[A-Za-z0-9._~:-]{1,100}$",
    description: "The caller's own: 1 to 100 letters, digits and . _ ~ : -",
  }),
});

export const UploadQuery = Type.Object({
  mode: Type.Optional(
    Type.Unsafe<ImportMode>({
      type: "string",
      enum: IMPORT_MODES,
      default: "replace",
      description:
        "replace: the members are those that are named, and no others. add, remove: those that are named come onto the list, or off it.",
    }),
  ),
  hold: Type.Optional(
    Type.Boolean({
      description:
        "It is compared and then held, whatever it changes: `added` and `removed` say what a confirmation would do.",
    }),
  ),
});

const rowsOf = (description: string) => ({ schema: Type.Unsafe<Readable>({ description }) });

export const UploadBody = {
  description: "May be compressed: Content-Encoding: gzip. At most 5,000,000 rows.",
  content: {
    "text/csv": rowsOf("The first line names the columns; userId is the one that is read."),
    "application/x-ndjson": rowsOf('One {"userId": "…"} a line.'),
  },
};

const someNamed = (description: string) =>
  Type.Object(
    {
      total: Type.Integer(),
      first: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
        description: "Twenty at most.",
      }),
    },
    { description },
  );

export const ImportView = Type.Object(
  {
    id: Type.String(),
    audienceId: Type.String(),
    audienceName: nullableString("Of the list; null when it was deleted."),
    mode: Type.Unsafe<ImportMode>({ type: "string", enum: IMPORT_MODES }),
    status: Type.Unsafe<ImportState>({
      type: "string",
      enum: IMPORT_STATES,
      description:
        "staged: the upload is whole, its changes are being found and written. held: it was compared, and waits to be confirmed. applied: all changes are on their way. refused: nothing was changed.",
    }),
    rows: Type.Integer(),
    users: Type.Integer({ description: "Different users of the rows; 0 until they are compared." }),
    suppressed: Type.Integer({ description: "Of those, the suppressed: nothing changes for them." }),
    added: Type.Integer({ description: "How many come onto the list." }),
    removed: Type.Integer({ description: "How many come off it." }),
    affects: Type.Object(
      {
        audiences: someNamed("Audiences that name the list, themselves or through others."),
        destinations: someNamed("Those that are on and connected to audiences: each is sent every change."),
      },
      { description: "What else changes with the list, as things are now." },
    ),
    progress: Type.Unsafe<{ written: number; changes: number } | null>({
      type: ["object", "null"],
      properties: { written: { type: "integer" }, changes: { type: "integer" } },
      description: "Of one that is staged, once its rows are compared; a few seconds old.",
    }),
    errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
    createdAt: TimeField,
    updatedAt: TimeField,
  },
  { title: "Import", description: "The import." },
);

export function importView(
  one: MembershipImport,
  { audienceName, ...affects }: Affected,
): Static<typeof ImportView> {
  const changes = one.added + one.removed;
  return {
    id: one.importId,
    audienceId: one.audienceId,
    audienceName,
    affects,
    mode: one.mode as ImportMode,
    status: one.state as ImportState,
    rows: one.rows,
    users: one.users,
    suppressed: one.suppressed,
    added: one.added,
    removed: one.removed,
    progress: one.state === "staged" && one.isCompared ? { written: one.written, changes } : null,
    errors: one.errors.map(({ line, message }) => ({ path: line === 0 ? "" : `line ${line}`, message })),
    createdAt: isoTime(one.createdAtMs),
    updatedAt: isoTime(one.updatedAtMs),
  };
}
