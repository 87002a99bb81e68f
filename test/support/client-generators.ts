// Generators of API clients, installed at the first use into the project's cache, by locks of their own.
import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { environment } from "#support/environment";
import { installedOnce } from "./installed-once.ts";

const SOURCE = join(import.meta.dirname, "../openapi/generated/tools");
const REQUIREMENTS = join(SOURCE, "requirements.txt");

const run = promisify(execFile);

/** Whoever reads the failure is told what it needs: none of it is a reason to pass. */
async function installing(what: string, registry: string, work: Promise<unknown>): Promise<void> {
  await work.catch((error: Error) => {
    throw new Error(`${what} could not be installed: this test needs ${registry}. ${error.message}`);
  });
}

const typescript = installedOnce(
  "typescript-generator",
  join(SOURCE, "package-lock.json"),
  async (folder) => {
    for (const file of ["package.json", "package-lock.json", ".npmrc"])
      await copyFile(join(SOURCE, file), join(folder, file));
    const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    const installed = run("npm", args, { cwd: folder, env: environment });
    await installing("@hey-api/openapi-ts", "the npm registry", installed);
  },
);

const python = installedOnce("python-generator", REQUIREMENTS, async (folder) => {
  const pinned = ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--requirement", REQUIREMENTS];
  const quiet = ["--quiet", "--disable-pip-version-check", "--no-input"];
  const args = ["-m", "pip", "install", ...quiet, ...pinned, "--target", folder];
  const installed = run("python3", args, { env: environment });
  await installing(
    "openapi-python-client",
    "Python's package registry (or a mirror of pip's settings)",
    installed,
  );
});

export async function installGenerators(): Promise<void> {
  await Promise.all([typescript.ready(), python.ready()]);
}

/** The program of @hey-api/openapi-ts, for node. */
export const typescriptGenerator = join(typescript.path, "node_modules/@hey-api/openapi-ts/bin/run.js");

/** In which `python3` finds openapi-python-client, and what the clients need that it makes. */
export const pythonEnvironment = {
  ...environment,
  PYTHONPATH: python.path,
  PYTHONDONTWRITEBYTECODE: "1",
};
