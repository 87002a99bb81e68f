// Everything that an installation brings is what package-lock.json says, byte for byte (decision 2).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "../..");

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(ROOT, file), "utf8")) as T;
}

const { "": project, ...packages } = readJson<{ packages: Record<string, Locked> }>(
  "package-lock.json",
).packages;

/** Whether Linux with glibc on x64 or ARM installs it. */
function isForLinux({ os, cpu, libc }: Locked): boolean {
  const fits = (given: string | readonly string[] | undefined, ...ours: string[]) =>
    given === undefined || [given].flat().some((one) => ours.includes(one));
  return fits(os, "linux") && fits(cpu, "x64", "arm64") && fits(libc, "glibc");
}

test("every package is pinned by a hash, but for native parts of tools on platforms that nothing is tested on", () => {
  expect(project).toBeDefined();
  const unpinned = Object.entries(packages).filter(
    ([, one]) => !/^sha512-.{86}==$/.test(one.integrity ?? ""),
  );
  const wrong = unpinned.filter(([, one]) => one.optional !== true || isForLinux(one));
  expect(wrong.map(([path]) => path)).toEqual([]);
});

test("no package may run a script of its own when it is installed, so none can fetch what no hash covers", () => {
  const { allowScripts } = readJson<{ allowScripts: Record<string, boolean> }>("package.json");
  expect(Object.entries(allowScripts).filter(([, isAllowed]) => isAllowed)).toEqual([]);
  const asking = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = asking.map(([path]) =>
    path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
  );
  expect(names.filter((name) => allowScripts[name] === undefined && name !== "fsevents")).toEqual([]);
  expect(readFileSync(join(ROOT, ".npmrc"), "utf8")).toMatch(/^ignore-scripts=true$/m);
});

describe("Node 24 comes as a package of its own", () => {
  test.each([
    ["linux", "x64"],
    ["linux", "arm64"],
    ["darwin", "x64"],
    ["darwin", "arm64"],
    ["win32", "x64"],
  ])("for %s on %s", (os, cpu) => {
    const found = Object.entries(packages).filter(
      ([, one]) => one.bin?.["node"] !== undefined && one.os === os && one.cpu === cpu,
    );
    expect(found).toHaveLength(1);
    expect(found[0]?.[1].integrity).toMatch(/^sha512-/);
    expect(found[0]?.[1].version).toMatch(/^24\.\d+\.\d+$/);
  });
});
