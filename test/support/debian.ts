// Programs that tests need and that Debian packages: taken from the PATH, or else unpacked from the package into the project's own cache. No
// rights are needed for it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { environment } from "#support/environment";

const CACHE = join(import.meta.dirname, "../../.cache/debian");

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8", env: environment });
  if (status === 0) return;
  throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? stderr.trim()}`);
}

function isOnPath(program: string): boolean {
  return spawnSync(program, ["--version"], { env: environment }).status === 0;
}

/** Downloads beside the final place and renames: the folder is there whole or not at all. */
function unpack(debianPackage: string, folder: string): void {
  const partial = `${folder}.${process.pid}.partial`;
  const state = join(partial, "apt");
  for (const each of ["lists/partial", "cache/archives/partial"])
    mkdirSync(join(state, each), { recursive: true });
  const apt = ["-o", `Dir::State::lists=${join(state, "lists")}`, "-o", `Dir::Cache=${join(state, "cache")}`];
  run("apt-get", [...apt, "-qq", "-o", "Debug::NoLocking=1", "update"], partial);
  run("apt-get", [...apt, "-qq", "download", debianPackage], partial);
  const [archive = ""] = readdirSync(partial).filter((name) => name.endsWith(".deb"));
  run("dpkg", ["-x", archive, partial], partial);
  for (const each of [state, join(partial, archive)]) rmSync(each, { recursive: true, force: true });
  renameSync(partial, folder);
}

/**
 * The program's path, to be started with. Throws when it is neither on the PATH nor to be had, and says what to install.
 */
export function debianProgram(program: string, debianPackage: string): string {
  if (isOnPath(program)) return program;
  const folder = join(CACHE, debianPackage);
  try {
    if (!existsSync(folder)) unpack(debianPackage, folder);
  } catch (error) {
    throw new Error(`${program} is not there, and cannot be had from Debian: install Prometheus`, {
      cause: error,
    });
  }
  return join(folder, "usr/bin", program);
}
