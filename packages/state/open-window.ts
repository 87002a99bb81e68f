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
import { join } from "node:path";
import type { DedupeWindow, DedupeWindowOptions } from "./dedupe-window.ts";
import { openLmdbFiles } from "./lmdb-files.ts";
import { PartitionWindow } from "./partition-window.ts";

/** lmdb's magic number, in the header of the first page. */
const MAGIC = { at: 24, value: 0xbeefc0de };
/** Names the process that is opening the files. */
const MARK = "opening.pid";

/** Opens a partition's window. One process at a time should have it open; two do no harm to the files. */
export function openDedupeWindow(options: DedupeWindowOptions): DedupeWindow {
  const { directory, onDiscarded } = options;
  const damage = damageOf(directory);
  if (damage === undefined) {
    try {
      return openMarked(options);
    } catch (error) {
      onDiscarded(error);
    }
  } else {
    onDiscarded(new Error(damage));
  }
  discardDedupeWindow(directory);
  return openMarked(options);
}

/** Removes the files of a window that is not open. */
export function discardDedupeWindow(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

/**
 * Damaged files do not make lmdb throw, they crash the process (measured: garbage and truncated files, lmdb 3.5). A mark lies
 * beside the files while they are being opened, so such a crash happens once instead of at every start.
 */
function openMarked(options: DedupeWindowOptions): DedupeWindow {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const mark = join(options.directory, MARK);
  writeFileSync(mark, String(process.pid));
  const window = new PartitionWindow(options, openLmdbFiles(options.directory));
  rmSync(mark, { force: true });
  return window;
}

function damageOf(directory: string): string | undefined {
  const data = join(directory, "data.mdb");
  const mark = join(directory, MARK);
  if (existsSync(mark) && !isOther(Number(readFileSync(mark, "utf8"))))
    return "a process died opening the files";
  if (existsSync(data) && !hasMagic(data)) return "data.mdb is no lmdb file";
  return undefined;
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
