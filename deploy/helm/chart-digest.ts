import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Stands before the digest in each rendered file. */
export const DIGEST_MARK = "# chart ";

/** Of every file of the chart and its examples: whether manifests are rendered from it can be told without Helm. */
export function chartDigest(chart: string): string {
  const hash = createHash("sha256");
  // Links lead to the rules and dashboards, which are part of what is rendered.
  const files = (readdirSync(chart, { recursive: true }) as string[]).toSorted();
  const linked = readdirSync(join(chart, "files/dashboards")).map((name) => `files/dashboards/${name}`);
  for (const name of [...new Set([...files, ...linked])].toSorted()) {
    const path = join(chart, name);
    if (statSync(path).isFile()) hash.update(`${name}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}
