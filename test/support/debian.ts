// Programs that tests need and that Debian packages: taken from the PATH, or else unpacked from the package into the project's own cache. No
// rights are needed for it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
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

/** Downloads beside the final place and renames: the folder is there whole or not at all. With `isWhole` what the package needs comes, too. */
function unpack(debianPackage: string, folder: string, isWhole: boolean): void {
  const partial = `${folder}.${process.pid}.partial`;
  const state = join(partial, "apt");
  const archives = join(state, "cache/archives");
  for (const each of [join(state, "lists/partial"), join(archives, "partial")])
    mkdirSync(each, { recursive: true });
  const places = [
    "-o",
    `Dir::State::lists=${join(state, "lists")}`,
    "-o",
    `Dir::Cache=${join(state, "cache")}`,
  ];
  const apt = [...places, "-o", "Debug::NoLocking=1", "-qq"];
  run("apt-get", [...apt, "update"], partial);
  const install = ["install", "--yes", "--no-install-recommends", "--download-only", debianPackage];
  run(
    "apt-get",
    [...apt, ...(isWhole ? install : ["download", debianPackage])],
    isWhole ? partial : archives,
  );
  for (const archive of readdirSync(archives).filter((name) => name.endsWith(".deb")))
    run("dpkg", ["-x", join(archives, archive), partial], partial);
  rmSync(state, { recursive: true, force: true });
  try {
    renameSync(partial, folder);
  } catch (renaming) {
    // Another process was first.
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(folder)) throw renaming;
  }
}

/** The package's folder in the cache. Throws when it is not to be had, and says what to install. */
function unpacked(debianPackage: string, install: string, isWhole = false): string {
  const folder = join(CACHE, debianPackage);
  try {
    if (!existsSync(folder)) unpack(debianPackage, folder, isWhole);
  } catch (error) {
    const message = `${debianPackage} is not there, and cannot be had from Debian: install ${install}`;
    throw new Error(message, { cause: error });
  }
  return folder;
}

/**
 * The program's path, to be started with. Throws when it is neither on the PATH nor to be had, and says what to install.
 */
export function debianProgram(program: string, debianPackage: string): string {
  if (isOnPath(program)) return program;
  return join(unpacked(debianPackage, "Prometheus"), "usr/bin", program);
}

const TEMPLATES = "/usr/share/prometheus/alertmanager";
const TEMPLATES_UNPACKED = `${TEMPLATES.slice(1)}/`;

/**
 * Alertmanager, and the folder that it has to be started in. Debian's build reads its templates from where only an installed package has
 * them. In the copy in the cache that path is one below the folder it is started in; it has to be as long.
 */
export function debianAlertmanager(): { readonly program: string; readonly folder: string } {
  const name = "prometheus-alertmanager";
  if (isOnPath(name)) return { program: name, folder: "/" };
  const folder = unpacked(name, "Alertmanager");
  const program = join(folder, "usr/bin/alertmanager-unpacked");
  if (!existsSync(program)) {
    const partial = `${program}.${process.pid}.partial`;
    // Latin-1 has a character for each byte.
    const bytes = readFileSync(join(folder, "usr/bin", name), "latin1");
    writeFileSync(partial, bytes.replaceAll(TEMPLATES, TEMPLATES_UNPACKED), {
      encoding: "latin1",
      mode: 0o755,
    });
    renameSync(partial, program);
  }
  return { program, folder };
}

/** A Chromium without windows, and where it finds its libraries. */
export function debianChromium(): { readonly program: string; readonly libraries: string } {
  const folder = unpacked("chromium-headless-shell", "Chromium", true);
  const libraries = readdirSync(join(folder, "usr/lib"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.includes(".so"))
    .map((entry) => entry.parentPath);
  return {
    program: join(folder, "usr/lib/chromium/chromium-headless-shell"),
    libraries: [...new Set(libraries)].join(":"),
  };
}
