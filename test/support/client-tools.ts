// What the clients' tests run and check them with: other versions of Node, an edge runtime, package checkers. Installed at the first use, by
// a lock of their own, into the project's cache: each Node is a program of the same name, and together they are large.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { environment } from "#support/environment";

const FILES = ["package.json", "package-lock.json", ".npmrc"];
const SOURCE = join(import.meta.dirname, "../clients/tools");
const CACHE = join(import.meta.dirname, "../../.cache/client-tools");

/** Installs beside the final place and renames: the folder is there whole or not at all. */
function install(folder: string): void {
  const partial = `${folder}.${process.pid}.partial`;
  mkdirSync(partial, { recursive: true });
  for (const file of FILES) copyFileSync(join(SOURCE, file), join(partial, file));
  const options = { cwd: partial, encoding: "utf8", env: environment } as const;
  const { status, stderr, error } = spawnSync(
    "npm",
    ["ci", "--no-audit", "--no-fund", "--loglevel=error"],
    options,
  );
  if (status !== 0) throw new Error(`npm ci in ${SOURCE}: ${error?.message ?? stderr.trim()}`);
  try {
    renameSync(partial, folder);
  } catch (renaming) {
    // Another process was first.
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(folder)) throw renaming;
  }
}

/** The path of a file in the tools' node_modules. */
export function clientTool(...path: readonly string[]): string {
  const lock = readFileSync(join(SOURCE, "package-lock.json"));
  const folder = join(CACHE, createHash("sha256").update(lock).digest("hex").slice(0, 12));
  if (!existsSync(folder)) install(folder);
  return join(folder, "node_modules", ...path);
}

/** The program of a Node of this major version: 24 is the one that the tests run on. */
export function nodeProgram(major: 20 | 22 | 24): string {
  if (major === 24) return process.execPath;
  return clientTool(`node-${major}-linux-${process.arch}`, "bin/node");
}
