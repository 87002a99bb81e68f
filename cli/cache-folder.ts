// What programs on this machine's Java are given, and where they are kept.
import { join, resolve } from "node:path";
import type { Environment } from "#runtime";

const ROOT = join(import.meta.dirname, "..");

/** What Java and Maven read; proxies and mirrors for the download among it. No JVM needs a key or an address of ours. */
export const JAVA_VARIABLES =
  /^(JAVA_[A-Z_]+|JDK_JAVA_OPTIONS|M2_HOME|MAVEN_[A-Z_]+|(https?|no|all)_proxy)$/i;

/** Where downloads and the data of running stacks are kept: HOOKLINE_CACHE_DIR, or `.cache` in the clone. */
export function cacheFolderOf(environment: Environment): string {
  return resolve(ROOT, environment["HOOKLINE_CACHE_DIR"] || ".cache");
}
