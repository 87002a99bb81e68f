import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Files and links that git tracks, or does not ignore: paths from the root, as far as they are there. */
export function trackedFiles(): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return listed.split("\n").filter((file) => file !== "" && existsSync(join(ROOT, file)));
}
