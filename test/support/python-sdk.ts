// The Segment SDK for Python, installed at the first use into the project's cache, by hashes.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { environment } from "#support/environment";
import { installedOnce } from "./installed-once.ts";

const REQUIREMENTS = join(import.meta.dirname, "../sdk/python/requirements.txt");

const packages = installedOnce("python-sdk", REQUIREMENTS, (folder) => {
  const pinned = ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--requirement", REQUIREMENTS];
  const args = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    ...pinned,
    "--target",
    folder,
  ];
  // Not those that a wheel for this machine would have other hashes than.
  const anywhere = ["--platform", "any", "--implementation", "py", "--abi", "none"];
  return promisify(execFile)("python3", [...args, ...anywhere], { env: environment });
});

/** Resolves with the environment in which `python3` finds the SDK. */
export async function pythonSdkEnvironment(): Promise<Record<string, string | undefined>> {
  await packages.ready();
  return { ...environment, PYTHONPATH: packages.path, PYTHONDONTWRITEBYTECODE: "1" };
}
