// What the clients' tests run and check them with: other versions of Node, an edge runtime, package checkers. Installed at the first use, by
// a lock of their own, into the project's cache: each Node is a program of the same name, and together they are large.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { withLock } from "#stack";
import { environment } from "#support/environment";

const FILES = ["package.json", "package-lock.json", ".npmrc"];
const SOURCE = join(import.meta.dirname, "../clients/tools");
const CACHE = join(import.meta.dirname, "../../.cache/client-tools");

/** Suites of several processes may ask at once: one of them installs, which takes a minute of a core. */
const INSTALL_TIMEOUT_MS = 240_000;

function folderOfLock(): string {
  const lock = readFileSync(join(SOURCE, "package-lock.json"));
  return join(CACHE, createHash("sha256").update(lock).digest("hex").slice(0, 12));
}

/** Installs beside the final place and renames: the folder is there whole or not at all. */
async function install(folder: string): Promise<void> {
  const partial = `${folder}.${process.pid}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  for (const file of FILES) await copyFile(join(SOURCE, file), join(partial, file));
  const options = { cwd: partial, env: environment };
  await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], options);
  await rename(partial, folder);
}

/** To be waited for before `clientTool` and `nodeProgram`. */
export async function installClientTools(): Promise<void> {
  const folder = folderOfLock();
  if (existsSync(folder)) return;
  await mkdir(CACHE, { recursive: true });
  const lock = { path: `${folder}.lock`, timeoutMs: INSTALL_TIMEOUT_MS, onWait: () => undefined };
  await withLock(lock, async () => {
    if (!existsSync(folder)) await install(folder);
  });
}

/** The path of a file in the tools' node_modules. */
export function clientTool(...path: readonly string[]): string {
  return join(folderOfLock(), "node_modules", ...path);
}

/** The program of a Node of this major version: 24 is the one that the tests run on. */
export function nodeProgram(major: 20 | 22 | 24): string {
  if (major === 24) return process.execPath;
  return clientTool(`node-${major}-linux-${process.arch}`, "bin/node");
}
