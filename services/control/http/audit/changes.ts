// What an entry of the audit log keeps of a change: the fields that differ, each of a bounded size, and no write key.
import { isJsonObject } from "#contract";
import { maskedKey } from "../masked-key.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface Change {
  /** Null of what is new. */
  readonly before: Fields | null;
  /** Null of what is gone. */
  readonly after: Fields | null;
}

/** Of a field's JSON. Things have some 25 fields, so that an entry stays below 200 KB. */
const MAX_FIELD_CHARACTERS = 4_000;

/** Both sides of an edit with the fields that differ; what is new or gone as it is. */
export function changeOf({
  before,
  after,
}: {
  readonly before: object | null;
  readonly after: object | null;
}): Change {
  const [old, now] = [before as Fields | null, after as Fields | null];
  if (old === null || now === null) return { before: kept(old), after: kept(now) };
  const differs = (field: string): boolean => JSON.stringify(old[field]) !== JSON.stringify(now[field]);
  const fields = Object.keys({ ...old, ...now }).filter(differs);
  const some = (side: Fields): Fields =>
    Object.fromEntries(fields.flatMap((field) => (field in side ? [[field, side[field]]] : [])));
  return { before: kept(some(old)), after: kept(some(now)) };
}

function kept(side: Fields | null): Fields | null {
  if (side === null) return null;
  return Object.fromEntries(Object.entries(masked(side)).map(([field, value]) => [field, bounded(value)]));
}

function bounded(value: unknown): unknown {
  const characters = JSON.stringify(value)?.length ?? 0;
  return characters <= MAX_FIELD_CHARACTERS ? value : `(${characters} characters, too large to be kept here)`;
}

/** As it is, with the write keys of a source masked: whoever has one can send as the source. */
export function masked(side: unknown): Fields {
  if (!isJsonObject(side)) return {};
  const { writeKeys } = side;
  if (!Array.isArray(writeKeys)) return side;
  return { ...side, writeKeys: writeKeys.map((key) => maskedKey(String(key))) };
}
