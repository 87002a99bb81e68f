// What in an OpenAPI document breaks programs that were written for an earlier one, as oasdiff finds it (decision 82).
// oasdiff/levels.txt has what we judge otherwise than it does, oasdiff/known.txt what breaks nobody since the last release.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "#contract";
import { environment } from "#support/environment";
import { requireGo } from "#support/installed";

const TOOL = join(import.meta.dirname, "oasdiff");
export const KNOWN_FILE = join(TOOL, "known.txt");
/** Of its three levels, the one that makes a check fail. */
const ERROR_LEVEL = 3;

interface Change {
  readonly level: number;
  readonly operation?: string;
  readonly path?: string;
  readonly text: string;
}

/** One sentence for each. Builds the tool at its first use, which takes a minute. */
export function breakingChanges(released: JsonObject, current: JsonObject): string[] {
  requireGo();
  const folder = mkdtempSync(join(tmpdir(), "hookline-openapi-"));
  try {
    const files = Object.entries({ released, current }).map(([name, document]) => {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(document));
      return file;
    });
    const options = ["--severity-levels", "levels.txt", "--err-ignore", "known.txt", "--format", "json"];
    const args = ["tool", "oasdiff", "breaking", ...files, ...options];
    const out = execFileSync("go", args, { cwd: TOOL, env: environment, encoding: "utf8" });
    const changes = JSON.parse(out) as readonly Change[];
    return changes
      .filter(({ level }) => level === ERROR_LEVEL)
      .map(({ operation, path, text }) => `${operation} ${path}: ${text}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
