import { open } from "lmdb";
import type { WindowFiles } from "./window-files.ts";

/** A window has at most 26 buckets at a time, and the database named `meta`. */
const MAX_DATABASES = 64;
const BINARY = { keyEncoding: "binary", encoding: "binary" } as const;

/** A window's files in a directory: one lmdb environment, in it a database for each table. */
export function openLmdbFiles(directory: string): WindowFiles {
  const root = open<Buffer, Buffer>({ path: directory, maxDbs: MAX_DATABASES, ...BINARY });
  return {
    table: (name) => root.openDB<Buffer, Buffer>({ name, ...BINARY }),
    batch: (work) => root.batch(work),
    close: () => root.close(),
  };
}
