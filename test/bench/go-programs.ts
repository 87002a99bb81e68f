// The programs in go/, built into the cache folder. Another state of their sources is another folder there.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { environment } from "#support/environment";
import { requireGo } from "#support/installed";

const SOURCES = join(import.meta.dirname, "go");
const CACHE = join(import.meta.dirname, "../../.cache/bench");

function versionOfSources(): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const file of globSync("**/*.{go,mod}", { cwd: SOURCES }).sort())
    hash.update(`\n${file}\n`).update(readFileSync(join(SOURCES, file)));
  return hash.digest("hex").slice(0, 12);
}

/** Builds beside the final place and renames: a folder is there whole or not at all. */
async function build(folder: string): Promise<void> {
  requireGo();
  const partial = `${folder}.${process.pid}.partial`;
  await mkdir(partial, { recursive: true });
  try {
    const args = ["build", "-trimpath", "-o", `${partial}/`, "./load", "./sink"];
    await promisify(execFile)("go", args, { cwd: SOURCES, env: environment });
    await rename(partial, folder).catch((error: unknown) => {
      // Another benchmark was quicker with the same.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

let building: Promise<void> | undefined;

/** Path of the built program. Throws where there is no Go that can build it, or no Linux. */
export async function builtGoProgram(name: string): Promise<string> {
  if (process.platform !== "linux")
    throw new Error("The benchmarks' load generator and endpoints run on Linux only (epoll)");
  const folder = join(CACHE, versionOfSources());
  if (!existsSync(folder)) {
    building ??= build(folder);
    await building;
  }
  return join(folder, name);
}
