// Programs that tests need and that Debian packages: taken from the PATH, or else unpacked from the package into the project's own cache. No
// rights are needed for it.
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "#runtime";
import { withLock } from "#stack";
import { environment } from "#support/environment";

const CACHE = join(import.meta.dirname, "../../.cache/debian");
/** Suites of several processes may ask at once; one of them downloads up to 200 MB. */
const UNPACK_TIMEOUT_MS = 240_000;

interface Started {
  readonly cwd: string;
  readonly env: Environment;
}

async function run(command: string, args: readonly string[], { cwd, env }: Started): Promise<void> {
  await promisify(execFile)(command, [...args], { cwd, env: { ...env } });
}

/** Whether the program, a name on the PATH or a path, can be started. */
export function isOnPath(program: string, env: Environment = environment): boolean {
  return spawnSync(program, ["--version"], { env: { ...env } }).status === 0;
}

/** A C library beside the machine's own loader ends every program at its start; it is on every Debian. */
const C_LIBRARY = /^libc6_/;

export interface Package {
  readonly debianPackage: string;
  /** Where it goes. */
  readonly folder: string;
  readonly isWhole: boolean;
  readonly env?: Environment;
}

/** Downloads beside the final place and renames: the folder is there whole or not at all. With `isWhole` what the package needs comes, too. */
export async function unpack({ debianPackage, folder, isWhole, env = environment }: Package): Promise<void> {
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  const state = join(partial, "apt");
  const archives = join(state, "cache/archives");
  for (const each of [join(state, "lists/partial"), join(archives, "partial")])
    await mkdir(each, { recursive: true });
  // apt would leave out what the machine has installed already, and programs look for their files beside themselves.
  const nothingInstalled = join(state, "status");
  await writeFile(nothingInstalled, "");
  const places = [
    `Dir::State::lists=${join(state, "lists")}`,
    `Dir::State::status=${nothingInstalled}`,
    `Dir::Cache=${join(state, "cache")}`,
  ].flatMap((place) => ["-o", place]);
  const apt = [...places, "-o", "Debug::NoLocking=1", "-qq"];
  await run("apt-get", [...apt, "update"], { cwd: partial, env });
  const install = ["install", "--yes", "--no-install-recommends", "--download-only", debianPackage];
  await run("apt-get", [...apt, ...(isWhole ? install : ["download", debianPackage])], {
    cwd: isWhole ? partial : archives,
    env,
  });
  const isWanted = (name: string) => name.endsWith(".deb") && !C_LIBRARY.test(name);
  for (const archive of (await readdir(archives)).filter(isWanted))
    await run("dpkg", ["-x", join(archives, archive), partial], { cwd: partial, env });
  await rm(state, { recursive: true, force: true });
  await rename(partial, folder);
}

/** The package's folder in the cache. Throws when it is not to be had, and says what to install. */
async function unpacked(debianPackage: string, install: string, isWhole = false): Promise<string> {
  const folder = join(CACHE, debianPackage);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const lock = { path: `${folder}.lock`, timeoutMs: UNPACK_TIMEOUT_MS, onWait: () => undefined };
  try {
    await withLock(lock, async () => {
      if (!existsSync(folder)) await unpack({ debianPackage, folder, isWhole });
    });
  } catch (error) {
    const message = `${debianPackage} is not there, and cannot be had from Debian: install ${install}`;
    throw new Error(message, { cause: error });
  }
  return folder;
}

/**
 * The program's path, to be started with. Throws when it is neither on the PATH nor to be had, and says what to install.
 */
export async function debianProgram(program: string, debianPackage: string): Promise<string> {
  if (isOnPath(program)) return program;
  return join(await unpacked(debianPackage, "Prometheus"), "usr/bin", program);
}

const TEMPLATES = "/usr/share/prometheus/alertmanager";
const TEMPLATES_UNPACKED = `${TEMPLATES.slice(1)}/`;

/**
 * Alertmanager, and the folder that it has to be started in. Debian's build reads its templates from where only an installed package has
 * them. In the copy in the cache that path is one below the folder it is started in; it has to be as long.
 */
export async function debianAlertmanager(): Promise<{ readonly program: string; readonly folder: string }> {
  const name = "prometheus-alertmanager";
  if (isOnPath(name)) return { program: name, folder: "/" };
  const folder = await unpacked(name, "Alertmanager");
  const program = join(folder, "usr/bin/alertmanager-unpacked");
  if (!existsSync(program)) {
    const partial = `${program}.${process.pid}.partial`;
    // Latin-1 has a character for each byte.
    const bytes = await readFile(join(folder, "usr/bin", name), "latin1");
    await writeFile(partial, bytes.replaceAll(TEMPLATES, TEMPLATES_UNPACKED), {
      encoding: "latin1",
      mode: 0o755,
    });
    await rename(partial, program);
  }
  return { program, folder };
}

/** A Chromium without windows, and where it finds its libraries. */
export async function debianChromium(): Promise<{ readonly program: string; readonly libraries: string }> {
  const folder = await unpacked("chromium-headless-shell", "Chromium or Chrome", true);
  const files = await readdir(join(folder, "usr/lib"), { recursive: true, withFileTypes: true });
  const libraries = files.filter(({ name }) => name.includes(".so")).map(({ parentPath }) => parentPath);
  return {
    program: join(folder, "usr/lib/chromium/chromium-headless-shell"),
    libraries: [...new Set(libraries)].join(":"),
  };
}
