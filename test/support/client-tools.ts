// What the clients' tests run and check them with: other versions of Node, an edge runtime, package checkers. Installed at the first use, by
// a lock of their own, into the project's cache: each Node is a program of the same name, and together they are large.
import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { environment } from "#support/environment";
import { installedOnce } from "./installed-once.ts";

const FILES = ["package.json", "package-lock.json", ".npmrc"];
const SOURCE = join(import.meta.dirname, "../clients/tools");

const tools = installedOnce("client-tools", join(SOURCE, "package-lock.json"), async (folder) => {
  for (const file of FILES) await copyFile(join(SOURCE, file), join(folder, file));
  const options = { cwd: folder, env: environment };
  await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], options);
});

/** To be waited for before `clientTool` and `nodeProgram`. */
export const installClientTools = (): Promise<void> => tools.ready();

/** The path of a file in the tools' node_modules. */
export function clientTool(...path: readonly string[]): string {
  return join(tools.path, "node_modules", ...path);
}

/** The program of a Node of this major version: 24 is the one that the tests run on. */
export function nodeProgram(major: 20 | 22 | 24): string {
  if (major === 24) return process.execPath;
  return clientTool(`node-${major}-linux-${process.arch}`, "bin/node");
}
