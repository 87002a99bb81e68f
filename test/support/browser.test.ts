import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { installedBrowser, requireBrowser, usesBrowser } from "./browser.ts";
import { unpack } from "./debian.ts";
import { environment } from "./environment.ts";

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
});

/** A program that tells its version. */
function program(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, "#!/bin/sh\nexit 0\n");
  chmodSync(path, 0o755);
  return path;
}

describe("the browser of tests is", () => {
  test("the one that CHROME_PATH names, before those on the PATH", () => {
    const given = program("mine");
    program("chromium");
    expect(installedBrowser({ PATH: folder, CHROME_PATH: given })).toBe(given);
    expect(() => installedBrowser({ PATH: folder, CHROME_PATH: "/nowhere" })).toThrow(
      "CHROME_PATH is /nowhere",
    );
  });

  test.each(["chromium", "google-chrome"])("%s of the PATH", (name) => {
    const path = program(name);
    expect(installedBrowser({ PATH: folder })).toBe(path);
  });

  test("said to be missing, with what to install, where there is no apt-get to unpack one with", () => {
    expect(() => requireBrowser({ PATH: folder })).toThrow(
      /dnf install chromium.*brew install.*CHROME_PATH/s,
    );
    program("apt-get");
    requireBrowser({ PATH: folder });
  });

  test("asked for by suites that start one", () => {
    // Put together, as this suite itself starts none.
    const importing = (name: string) => `import { it } from "${name}";`;
    expect(usesBrowser(importing("#support/chromium"))).toBe(true);
    expect(usesBrowser(importing("./sdks.ts"))).toBe(true);
    expect(usesBrowser(importing("./shown.ts"))).toBe(true);
    expect(usesBrowser(importing("#support/until"))).toBe(false);
  });
});

test("a package of Debian is unpacked whole on a machine that has installed what it needs", async () => {
  // A library of jq stands for the parts that Debian's browsers share.
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const library = `Package: libonig5\nArchitecture: ${architecture}\nVersion: 99\nMulti-Arch: same\n`;
  const status = join(folder, "status");
  writeFileSync(status, `${library}Status: install ok installed\n`);
  const config = join(folder, "apt.conf");
  writeFileSync(config, `Dir::State::status "${status}";\n`);
  const unpacked = join(folder, "jq");
  const env = { ...environment, APT_CONFIG: config };
  await unpack({ debianPackage: "jq", folder: unpacked, isWhole: true, env });
  const files = readdirSync(unpacked, { recursive: true, encoding: "utf8" }).map((file) => basename(file));
  expect(files).toEqual(expect.arrayContaining(["jq", "libonig.so.5"]));
  expect(files).not.toContain("libc.so.6");
}, 120_000);
