// An entry of a store, and how it lies on disk: a table key, and a value with what the store has to know in front.
import { createHash } from "node:crypto";
import type { RecordHeaders } from "#kafka";

/** The facts about a value that the store has to know; they follow from the value. */
export interface EntryFacts {
  /**
   * The order of two records of one key: the one with the higher `version` is the newer, as each owner's
   * versions begin above those of the owners before; between equal ones, the one with the higher
   * `appliedOffset`.
   */
  readonly version: number;
  readonly appliedOffset: number;
  /** When something is to be done with the entry, Unix ms; Infinity: never. */
  readonly dueMs: number;
}

export interface StoreEntry extends EntryFacts {
  readonly key: string;
  readonly value: Buffer;
}

/** That a key is not there any more, as of these facts; never due. */
interface StoreRemoval extends EntryFacts {
  readonly key: string;
  readonly value: null;
}

export type StoreChange = StoreEntry | StoreRemoval;

/** Which of two records is the newer. */
type Age = Pick<EntryFacts, "appliedOffset" | "version">;

const REMOVED = "removed";

/** A tombstone has no value that says how new it is. */
export function removalHeaders({ appliedOffset, version }: Age): RecordHeaders {
  return new Map([[REMOVED, `${appliedOffset} ${version}`]]);
}

/** Undefined of a tombstone that does not say it: it removes whatever there is. */
export function removedBy(headers: RecordHeaders | undefined): Age | undefined {
  const [appliedOffset, version] = (headers?.get(REMOVED) ?? "").split(" ").map(Number);
  return appliedOffset === undefined || version === undefined ? undefined : { appliedOffset, version };
}

/** Three numbers of 48 bits, and the length of the key where the table key does not hold it. */
const HEADER_BYTES = 20;
const NUMBER_BYTES = 6;
const NEVER = 2 ** 48 - 1;

/** lmdb's own limit is 1,978 bytes; the index of due times puts six in front. */
const MAX_KEY_BYTES = 1_024;
const SHORT = 0x6b;
const LONG = 0x6c;

/** A key that is too long for lmdb is stood for by its hash, and kept with the value. */
export function tableKeyOf(key: string): Buffer {
  const length = Buffer.byteLength(key);
  if (length > MAX_KEY_BYTES)
    return Buffer.concat([Buffer.of(LONG), createHash("sha256").update(key).digest()]);
  const bytes = Buffer.allocUnsafe(1 + length);
  bytes[0] = SHORT;
  bytes.write(key, 1);
  return bytes;
}

/** The key, where the table key holds it. */
export function keyIn(tableKey: Buffer): string | undefined {
  return tableKey[0] === SHORT ? tableKey.toString("utf8", 1) : undefined;
}

function dueNumber(dueMs: number): number {
  return Math.min(Math.max(0, Math.ceil(dueMs)), NEVER);
}

/** Key in the index of due times; undefined for what is never due. */
export function dueKeyOf(dueMs: number, tableKey: Buffer): Buffer | undefined {
  const due = dueNumber(dueMs);
  if (due === NEVER) return undefined;
  const key = Buffer.allocUnsafe(NUMBER_BYTES + tableKey.length);
  key.writeUIntBE(due, 0, NUMBER_BYTES);
  key.set(tableKey, NUMBER_BYTES);
  return key;
}

export function dueIn(dueKey: Buffer): { readonly dueMs: number; readonly tableKey: Buffer } {
  return { dueMs: dueKey.readUIntBE(0, NUMBER_BYTES), tableKey: dueKey.subarray(NUMBER_BYTES) };
}

export function toTableValue({ key, value, appliedOffset, version, dueMs }: StoreEntry): Buffer {
  const keyBytes = Buffer.byteLength(key);
  const kept = keyBytes > MAX_KEY_BYTES ? keyBytes : 0;
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + kept + value.length);
  // The applied offset is -1 before the first record of the log.
  bytes.writeUIntBE(appliedOffset + 1, 0, NUMBER_BYTES);
  bytes.writeUIntBE(version, NUMBER_BYTES, NUMBER_BYTES);
  bytes.writeUIntBE(dueNumber(dueMs), 2 * NUMBER_BYTES, NUMBER_BYTES);
  bytes.writeUInt16BE(kept, 3 * NUMBER_BYTES);
  if (kept > 0) bytes.write(key, HEADER_BYTES);
  value.copy(bytes, HEADER_BYTES + kept);
  return bytes;
}

/** Reads the facts of a table value, which may be overwritten by the next read. */
export function factsIn(bytes: Buffer): EntryFacts {
  const due = bytes.readUIntBE(2 * NUMBER_BYTES, NUMBER_BYTES);
  return {
    appliedOffset: bytes.readUIntBE(0, NUMBER_BYTES) - 1,
    version: bytes.readUIntBE(NUMBER_BYTES, NUMBER_BYTES),
    dueMs: due === NEVER ? Number.POSITIVE_INFINITY : due,
  };
}

export function entryIn(tableKey: Buffer, bytes: Buffer): StoreEntry {
  const start = HEADER_BYTES + bytes.readUInt16BE(3 * NUMBER_BYTES);
  const key = keyIn(tableKey) ?? bytes.toString("utf8", HEADER_BYTES, start);
  return { ...factsIn(bytes), key, value: bytes.subarray(start) };
}

/**
 * Tells whether `other` is to stand instead of `kept`. Of two equal ones the later record of the log does.
 */
export function isAsNew(other: Age, kept: Age | undefined): boolean {
  if (kept === undefined || other.version !== kept.version)
    return kept === undefined || other.version > kept.version;
  return other.appliedOffset >= kept.appliedOffset;
}
