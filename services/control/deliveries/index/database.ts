// The file of the index. It holds nothing that the topics do not hold, so a file that is damaged, or of another version, is thrown away.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CONNECTION, SCHEMA, SCHEMA_VERSION } from "./schema.ts";
import { beginUnsynced, bootId, CutOffError, endUnsynced } from "./unsynced.ts";

interface DatabaseOptions {
  readonly folder: string;
  /** Of a share, which has one file; any that is free unless given. */
  readonly name?: string | undefined;
  /** The number of shares beside it; 0 unless given. */
  readonly shares?: number | undefined;
  /** Called with why a file was thrown away. */
  readonly onDiscarded: (why: string) => void;
}

/** One file for each process that shares the folder; more than these have no business there. */
const FILES = ["index.sqlite", "index-2.sqlite", "index-3.sqlite", "index-4.sqlite"];
const ENDING = ".sqlite";

/** The file of a share, which belongs to whoever has the main file open. */
export function shareName(mainFile: string, share: number, shares: number): string {
  return `${basename(mainFile, ENDING)}.calls-${share}-of-${shares}${ENDING}`;
}

/** Result codes of SQLite, without their extensions. */
const CODE = { busy: 5, corrupt: 11, notADatabase: 26 };

export interface IndexDatabase {
  readonly database: DatabaseSync;
  readonly file: string;
}

/** Where a process keeps its index: files, or what stands for them in a simulated world. */
export interface IndexDisk {
  open(options: DatabaseOptions): IndexDatabase;
  close(opened: IndexDatabase): void;
  /** Closes it and throws away what it holds. */
  discard(opened: IndexDatabase): void;
}

export const INDEX_FILES: IndexDisk = { open: openDatabase, close: closeDatabase, discard: discardDatabase };

/** Opens the first file that no other process has open, and keeps it to itself: totals added twice would be wrong. */
function openDatabase({ folder, name: own, onDiscarded, shares = 0 }: DatabaseOptions): IndexDatabase {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of own === undefined ? FILES : [own]) {
    const file = join(folder, name);
    const database = openFile(file, onDiscarded);
    if (database === undefined) continue;
    if (own === undefined) removeOthers(file, shares);
    return { database, file };
  }
  throw new Error(`every index in ${folder} is used by another process: give each its own HOOKLINE_DATA_DIR`);
}

function closeDatabase({ database }: IndexDatabase): void {
  if (!database.isOpen) return;
  try {
    endUnsynced(database);
  } catch {
    // The file says that it is open, which holds until the machine stops.
  }
  database.close();
}

function discardDatabase({ database, file }: IndexDatabase): void {
  if (database.isOpen) database.close();
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${file}${suffix}`, { force: true });
}

/** Removes what shares of another number have left beside a main file. Those of this number may be open in their threads. */
function removeOthers(mainFile: string, shares: number): void {
  const folder = dirname(mainFile);
  for (const name of readdirSync(folder)) {
    const isOther = !name.includes(`-of-${shares}${ENDING}`);
    if (name.startsWith(`${basename(mainFile, ENDING)}.calls-`) && isOther) rmSync(join(folder, name));
  }
}

/** Undefined: another process has it open. */
function openFile(file: string, onDiscarded: (why: string) => void): DatabaseSync | undefined {
  const database = new DatabaseSync(file);
  try {
    prepare(database);
    return database;
  } catch (error) {
    const isBusy = codeOf(error) === CODE.busy;
    // An open one would look like another process's.
    if (isBusy || !isDamage(error)) database.close();
    if (isBusy) return undefined;
    if (!isDamage(error)) throw error;
    onDiscarded(messageOf(error));
    discardDatabase({ database, file });
  }
  const fresh = new DatabaseSync(file);
  prepare(fresh);
  return fresh;
}

class OtherVersionError extends Error {}

/** After a power cut of a machine without boot ids the last transactions may be missing, offsets and rows together; they are read again. */
function prepare(database: DatabaseSync): void {
  const files = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";
  database.exec(`${files} ${CONNECTION}`);
  database.exec("BEGIN IMMEDIATE");
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version === 0) database.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}`);
  database.exec("COMMIT");
  if (version !== 0 && version !== SCHEMA_VERSION) throw new OtherVersionError(`it has version ${version}`);
  beginUnsynced(database, bootId());
}

/** Whether the file can no longer be used; a full disk, say, is no damage. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  if (error instanceof OtherVersionError || error instanceof CutOffError) return true;
  return code === CODE.corrupt || code === CODE.notADatabase;
}

function codeOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

export function messageOf(error: unknown): string {
  return typeof error === "object" && error !== null && "message" in error
    ? String(error.message)
    : String(error);
}
