import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { openLmdbFiles } from "./lmdb-files.ts";
import type { WindowFiles } from "./window-files.ts";

/** lmdb's magic number, in the header of the first page. */
const MAGIC = { at: 24, value: 0xbeefc0de };
/** Names the process that is opening the files. */
const MARK = "opening.pid";

const REFUSALS = [
  "ENOSPC",
  "EDQUOT",
  "EROFS",
  "EACCES",
  "EPERM",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EIO",
] as const;

/** The ways to the files; a test may have them refused. */
export interface WindowDoors {
  writeMark(file: string): void;
  openFiles(directory: string): WindowFiles;
}

const DOORS: WindowDoors = {
  writeMark: (file) => writeFileSync(file, String(process.pid)),
  openFiles: openLmdbFiles,
};

export interface GuardedOptions<T> {
  readonly directory: string;
  /** Called when the files could not be read, and empty ones were opened instead. */
  onDiscarded(error: unknown): void;
  /** Opens the files for use. They are closed when it throws. */
  use(files: WindowFiles): T;
}

/**
 * Opens files that may be damaged. One process at a time should have them open; two do no harm to the files. Throws when the disk
 * refuses: that says nothing about the files, which stay as they are.
 */
export function openGuarded<T>(options: GuardedOptions<T>, doors: WindowDoors = DOORS): T {
  const { directory, onDiscarded } = options;
  const damage = damageOf(directory);
  if (damage === undefined) {
    try {
      return openMarked(options, doors);
    } catch (error) {
      if (isRefusal(error)) throw error;
      onDiscarded(error);
    }
  } else {
    onDiscarded(new Error(damage));
  }
  discardFiles(directory);
  return openMarked(options, doors);
}

/** Removes files that are not open. */
export function discardFiles(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

/**
 * Damaged files do not make lmdb throw, they crash the process (measured: garbage and truncated files, lmdb 3.5). A mark lies
 * beside the files while they are being opened, so such a crash happens once instead of at every start.
 */
function openMarked<T>(options: GuardedOptions<T>, { writeMark, openFiles }: WindowDoors): T {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const mark = join(options.directory, MARK);
  try {
    writeMark(mark);
    return usedOrClosed(openFiles(options.directory), options);
  } finally {
    // The mark goes when the files could not be opened, too: the process did not die of it.
    rmSync(mark, { force: true });
  }
}

function usedOrClosed<T>(files: WindowFiles, { use }: GuardedOptions<T>): T {
  try {
    return use(files);
  } catch (error) {
    files.close().catch(() => undefined);
    throw error;
  }
}

/** Disk full, no rights, too many open files: what the system calls so, by name or, in lmdb's errors, by number. */
function isRefusal(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("code" in error)) return false;
  const { code } = error;
  return REFUSALS.some((name) => code === name || code === constants.errno[name]);
}

function damageOf(directory: string): string | undefined {
  const data = join(directory, "data.mdb");
  const mark = join(directory, MARK);
  if (existsSync(mark) && isOfTheDead(readFileSync(mark, "utf8"))) return "a process died opening the files";
  if (existsSync(data) && !hasMagic(data)) return "data.mdb is no lmdb file";
  return undefined;
}

/** An empty mark could not be written on a full disk: its process did not come to the files. */
function isOfTheDead(mark: string): boolean {
  return mark !== "" && !isOther(Number(mark));
}

/** Whether another process with this id runs. Our own id was an earlier process's: we are not opening anything yet. */
function isOther(pid: number): boolean {
  if (pid === process.pid || !Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function hasMagic(file: string): boolean {
  const bytes = Buffer.alloc(MAGIC.at + 4);
  const descriptor = openSync(file, "r");
  try {
    const read = readSync(descriptor, bytes, 0, bytes.length, 0);
    return read === bytes.length && bytes.readUInt32LE(MAGIC.at) === MAGIC.value;
  } finally {
    closeSync(descriptor);
  }
}
