import { join, resolve } from "node:path";
import type { Environment } from "#runtime";

const ROOT = join(import.meta.dirname, "..");

/** The folder of downloads and the data of running stacks: HOOKLINE_CACHE_DIR, or `.cache` in the clone. */
export function cacheFolderOf(environment: Environment): string {
  return resolve(ROOT, environment["HOOKLINE_CACHE_DIR"] || ".cache");
}
