// The code of another version, beside this one's.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild } from "#stack";

const ROOT = join(import.meta.dirname, "../..");
/** What services are made of. */
const PARTS = ["package.json", "packages", "schemas", "services"];
/** What makes their topics: now, and in versions before. */
const PROVISION = ["cli/provision", "deploy/provision"];

export interface OldVersion {
  /** Of its code; its packages are this version's. */
  readonly root: string;
  readonly commit: string;
  /** Makes its topics and registers its schemas. */
  readonly provision: (settings: Readonly<Record<string, string>>) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Takes it from git. Throws where this is no clone, or one that does not have the version. */
export async function oldVersion(ref: string): Promise<OldVersion> {
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: ROOT, maxBuffer: 2 ** 30 });
  const commit = git("rev-parse", "--short", `${ref}^{commit}`).toString().trim();
  const root = await mkdtemp(join(tmpdir(), `hookline-${commit}-`));
  const provisionFolder = git("ls-tree", "-d", "--name-only", commit, ...PROVISION)
    .toString()
    .trim();
  const archive = git("archive", "--format=tar", commit, ...PARTS, provisionFolder);
  execFileSync("tar", ["-x", "-C", root], { input: archive });
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  const provision: OldVersion["provision"] = async (settings) => {
    const lines: string[] = [];
    const child = await startChild({
      command: process.execPath,
      args: [join(root, provisionFolder, "main.ts")],
      environment: settings,
      onLine: (line) => lines.push(line),
    });
    if ((await child.exited) !== 0) throw new Error(`topics of ${commit}: ${lines.join("\n")}`);
  };
  return { root, commit, provision, remove: () => rm(root, { recursive: true, force: true }) };
}
