// The TypeScript client as npm packs it, in a project that uses it and has nothing else of the repository.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "#support/environment";

const ROOT = join(import.meta.dirname, "../..");

export interface ClientProject {
  /** The project's folder. */
  readonly folder: string;
  /** The unpacked package in its node_modules. */
  readonly packed: string;
  readonly tarball: string;
  /** What of a clone packing needs, with its packages. */
  readonly clone: string;
  readonly remove: () => void;
}

/** Runs a program with the development tools on its PATH; gives its output, and throws with it. */
export function runTool(program: string, args: readonly string[], cwd: string): string {
  // What `npm test` runs with tells npm to run no scripts; packing is one.
  const own = Object.entries(environment).filter(([name]) => !name.toLowerCase().startsWith("npm_config_"));
  const path = `${join(ROOT, "node_modules/.bin")}:${environment["PATH"]}`;
  try {
    const env = { ...Object.fromEntries(own), PATH: path };
    return execFileSync(program, args, { cwd, encoding: "utf8", env, stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(" ")}\n${stdout}${stderr}`);
  }
}

/** Packs a copy, as packing writes into the package's folder. */
function pack(into: string, repository: string): string {
  const source = join(repository, "clients/typescript");
  const isSource = (path: string): boolean => !path.endsWith("dist");
  cpSync(join(ROOT, "clients/typescript"), source, { recursive: true, filter: isSource });
  cpSync(join(ROOT, "tsconfig.json"), join(repository, "tsconfig.json"));
  symlinkSync(join(ROOT, "node_modules"), join(repository, "node_modules"));
  runTool("npm", ["pack", "--pack-destination", into], source);
  const [name = ""] = readdirSync(into).filter((file) => file.endsWith(".tgz"));
  return join(into, name);
}

export function createClientProject(): ClientProject {
  const root = mkdtempSync(join(tmpdir(), "hookline-client-"));
  const folder = join(root, "project");
  const packed = join(folder, "node_modules/@hookline/client");
  mkdirSync(packed, { recursive: true });
  const clone = join(root, "repository");
  const tarball = pack(root, clone);
  runTool("tar", ["-xzf", tarball, "-C", packed, "--strip-components=1"], root);
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  return { folder, packed, tarball, clone, remove: () => rmSync(root, { recursive: true }) };
}
