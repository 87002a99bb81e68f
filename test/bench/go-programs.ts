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

/** The log relay is a module of its own: only whoever starts it needs what it imports, from Go's module proxy or cache. */
const MODULES = {
  standard: { folder: SOURCES, packages: ["./load", "./sink"] },
  logrelay: { folder: join(SOURCES, "logrelay"), packages: ["."] },
} as const;

const MODULE_OF = { load: "standard", sink: "standard", logrelay: "logrelay" } as const;

export type GoProgram = keyof typeof MODULE_OF;
type Module = keyof typeof MODULES;

function versionOfSources(): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const file of globSync("**/*.{go,mod,sum}", { cwd: SOURCES }).sort())
    hash.update(`\n${file}\n`).update(readFileSync(join(SOURCES, file)));
  return hash.digest("hex").slice(0, 12);
}

/** Builds beside the final place and renames: a folder is there whole or not at all. */
async function build(module: Module, into: string): Promise<void> {
  requireGo();
  const { folder, packages } = MODULES[module];
  const partial = `${into}.${process.pid}.partial`;
  await mkdir(partial, { recursive: true });
  try {
    const args = ["build", "-trimpath", "-o", `${partial}/`, ...packages];
    await promisify(execFile)("go", args, { cwd: folder, env: environment });
    await rename(partial, into).catch((error: unknown) => {
      // Another benchmark was quicker with the same.
      if (!existsSync(into)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

const building = new Map<Module, Promise<void>>();

/** Path of the built program. Throws where there is no Go that can build it, or no Linux. */
export async function builtGoProgram(name: GoProgram): Promise<string> {
  if (process.platform !== "linux")
    throw new Error("The benchmarks' load generator and endpoints run on Linux only (epoll)");
  const module = MODULE_OF[name];
  const folder = join(CACHE, `${versionOfSources()}-${module}`);
  if (!existsSync(folder)) {
    const built = building.get(module) ?? build(module, folder);
    building.set(module, built);
    await built;
  }
  return join(folder, name);
}
