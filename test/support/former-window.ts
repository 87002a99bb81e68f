// A window as version 827a7ff left it: ids without users. Source s, m0 to m39 at the offsets of their numbers, the second half two hours after
// the first.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

export const FORMER_START_MS = Date.UTC(2026, 0, 1);
export const FORMER_CALLS = 40;

/** Where a process of this version finds it. */
export function writeFormerWindow(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const file = new URL("former-window.mdb.gz", import.meta.url);
  writeFileSync(join(directory, "data.mdb"), gunzipSync(readFileSync(file)));
}
