// The index is written without waiting for the disk: its checkpoints would hold the API up at every few hundred rows, and take a third of what a row costs.
// A process that is killed loses nothing by that; a machine that stops may lose any part of the file. So while it is open, the file says in which boot of the machine.
import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/** The machine stopped while the file was open: what of it reached the disk is not known. */
export class CutOffError extends Error {}

/** Of this run of the machine's kernel; undefined where it does not say: then every checkpoint waits for the disk. */
export function bootId(): string | undefined {
  try {
    return readFileSync(BOOT_ID, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Where it is on the disk itself, not only in the log, which is begun again and again. */
const CHECKPOINT = "PRAGMA wal_checkpoint(TRUNCATE)";

/** Throws a `CutOffError` where another boot had the file open. */
export function beginUnsynced(database: DatabaseSync, boot: string | undefined): void {
  const noted = database.prepare("SELECT boot FROM open_in").get()?.["boot"];
  if (noted !== undefined && noted !== boot) throw new CutOffError("the machine stopped while it was open");
  if (boot === undefined) return;
  database.exec("PRAGMA synchronous = FULL");
  if (noted === undefined) database.prepare("INSERT INTO open_in VALUES (?, 0)").run(boot);
  database.exec(`${CHECKPOINT}; PRAGMA synchronous = OFF`);
}

/** Before the file is closed: all of it is on the disk before the note goes. A checkpoint syncs the file only where it has something to write, hence the change. */
export function endUnsynced(database: DatabaseSync): void {
  database.exec(
    `PRAGMA synchronous = FULL; UPDATE open_in SET closed = closed + 1; ${CHECKPOINT}; DELETE FROM open_in`,
  );
}
