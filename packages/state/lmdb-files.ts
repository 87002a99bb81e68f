import { open } from "lmdb";
import type { WindowFiles } from "./window-files.ts";

/** A window has at most 26 buckets at a time, and the database named `meta`. */
const MAX_DATABASES = 64;
const BINARY = { keyEncoding: "binary", encoding: "binary" } as const;

/** A window's files in a directory: one lmdb environment, in it a database for each table. */
export function openLmdbFiles(directory: string): WindowFiles {
  // Else lmdb makes a promise of its own for what a turn of the event loop writes, whose rejection nobody can handle.
  const options = { path: directory, maxDbs: MAX_DATABASES, eventTurnBatching: false, ...BINARY };
  const root = open<Buffer, Buffer>(options);
  let last: Promise<unknown> = Promise.resolve();
  const begun = (done: Promise<unknown>): Promise<unknown> => {
    last = orReason(done);
    return last;
  };
  return {
    table(name) {
      const table = root.openDB<Buffer, Buffer>({ name, ...BINARY });
      const drop = table.drop.bind(table);
      return Object.assign(table, { drop: () => begun(drop()) });
    },
    batch: (work) => begun(root.batch(work)),
    async close() {
      // lmdb waits for ever for a last transaction that was refused to be on disk: an empty one takes its place.
      await last.catch(() => orReason(root.batch(() => undefined))).catch(() => undefined);
      await root.close();
    },
  };
}

/** Rejects with the reason, which lmdb's error has as a promise: its rejection ends the process when nobody asks for it. */
function orReason(done: Promise<unknown>): Promise<unknown> {
  return done.catch(async (error: { readonly commitError?: Promise<never> }) => {
    await error.commitError;
    throw error;
  });
}
