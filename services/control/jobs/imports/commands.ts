// What the API does with imports, whoever asks.
import type { AudienceConfig, ImportError, MembershipImport } from "#topics";
import type { Actor } from "../../http/caller.ts";
import { notFound, ProblemError, refused } from "../../http/problem.ts";
import { refreshAll } from "../../http/refresh.ts";
import { existing } from "../../resources/audiences/resource.ts";
import { confirmed, type ImportMode, importKey, newImport } from "./import.ts";
import type { ImportParts } from "./parts.ts";
import type { Row } from "./upload/row.ts";
import { stage } from "./upload/stage.ts";

export interface Upload {
  readonly audienceId: string;
  readonly importId: string;
  readonly mode: ImportMode;
  readonly isHeldByRequest: boolean;
  readonly rows: AsyncIterable<Row>;
  readonly by: Actor;
}

export interface Uploaded {
  readonly import: MembershipImport;
  /** False when there was an import of this id, and the upload was not read. */
  readonly isNew: boolean;
}

function note({ audit }: ImportParts, action: "started" | "confirmed", by: Actor) {
  return async ({ id, audienceId, importId, mode, state }: MembershipImport): Promise<void> => {
    const after = { audienceId, importId, mode, state };
    await audit.record({ by, action, resource: "import", resourceId: id, before: null, after });
  };
}

/**
 * Durable when it resolves. Rejects with a ProblemError for what is refused, with a KafkaError when it is not known whether the import
 * was begun: to upload it again under the same id is safe.
 */
export async function startImport(parts: ImportParts, upload: Upload): Promise<Uploaded> {
  const { audienceId, importId, isHeldByRequest, mode, rows } = upload;
  const { changes, ids, imports, nowMs, stagedRows } = parts;
  const id = importKey(audienceId, importId);
  const known = await knownImport(parts, upload);
  if (known !== undefined) return { import: known, isNew: false };
  const uploadId = ids.newUploadId();
  const writer = await stagedRows.begin(id, uploadId);
  const staged = await stage(rows, (userIds) => writer.write(userIds));
  const range = await writer.range();
  const uploaded = await changes.run(async (): Promise<Uploaded> => {
    // Another upload of the same id may have been whole first.
    const first = await knownImport(parts, upload);
    if (first !== undefined) return { import: first, isNew: false };
    const now = nowMs();
    const queuedAtMs = imports.nextPlaceMs(audienceId, now);
    const made = {
      audienceId,
      importId,
      mode,
      isHeldByRequest,
      ...staged,
      ...range,
      uploadId,
      nowMs: now,
      queuedAtMs,
    };
    const one = newImport(made);
    await note(parts, "started", upload.by)(one);
    await imports.put(one);
    return { import: one, isNew: true };
  });
  if (uploaded.isNew && uploaded.import.state === "refused") throw refusedRows(staged);
  return uploaded;
}

/** One that was refused did not count: another upload takes its place. Throws when the list takes no imports. */
async function knownImport(
  parts: ImportParts,
  { audienceId, importId }: Pick<Upload, "audienceId" | "importId">,
): Promise<MembershipImport | undefined> {
  await refreshAll([parts.imports, parts.audiences], parts.host);
  existingList(parts, audienceId);
  const known = parts.imports.get(importKey(audienceId, importId));
  return known?.state === "refused" ? undefined : known;
}

function existingList(parts: Pick<ImportParts, "audiences">, id: string): AudienceConfig {
  const list = existing(parts, "audience", id);
  if (list.kind === "list") return list;
  throw refused([
    { path: "id", message: "is an audience with a definition: only lists have imported members" },
  ]);
}

function refusedRows({
  errorCount,
  errors,
}: {
  readonly errors: readonly ImportError[];
  readonly errorCount: number;
}): ProblemError {
  const problems = errors.map(({ line, message }) => ({ path: `line ${line}`, message }));
  return refused(problems, errorCount - errors.length);
}

/** Throws a 404 for an import or a list that there is not. */
export function existingImport(
  parts: Pick<ImportParts, "audiences" | "imports">,
  audienceId: string,
  importId: string,
): MembershipImport {
  existing(parts, "audience", audienceId);
  const found = parts.imports.get(importKey(audienceId, importId));
  if (found === undefined && !parts.imports.isLoaded)
    throw new ProblemError("unavailable", "the imports are still being read");
  if (found === undefined) throw notFound("import", importId);
  return found;
}

interface Confirmation {
  readonly audienceId: string;
  readonly importId: string;
  readonly by: Actor;
}

/** Durable when it resolves. To confirm it once more changes nothing; 409 for one that was never held. */
export function confirmImport(
  parts: ImportParts,
  { audienceId, importId, by }: Confirmation,
): Promise<MembershipImport> {
  const { audiences, changes, host, imports, nowMs } = parts;
  return changes.run(async () => {
    await refreshAll([imports, audiences], host);
    const found = existingImport(parts, audienceId, importId);
    if (found.isConfirmed && found.state !== "refused") return found;
    if (found.state !== "held")
      throw new ProblemError("conflict", `the import is ${found.state}: only one that is held is confirmed`);
    const now = nowMs();
    const next = confirmed(found, imports.nextPlaceMs(audienceId, now), now);
    await note(parts, "confirmed", by)(next);
    await imports.put(next);
    return next;
  });
}
