// What `npm run check` cares about it must refuse: one bad change per tool, made in a scratch copy of the tracked files.
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "../..");
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "hookline-checks-"));
  const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of tracked.split("\n").filter((name) => name !== "")) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Runs one of the check scripts in the copy. */
function check(script: string): { status: number | null; output: string } {
  const run = spawnSync("npm", ["run", "--silent", script], { cwd: copy, encoding: "utf8" });
  return { status: run.status, output: run.stdout + run.stderr };
}

/** Adds `text` to a file of the copy, runs the check, takes the change back. */
function checkWith(script: string, file: string, text: string): { status: number | null; output: string } {
  const path = join(copy, file);
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, text);
  try {
    return check(script);
  } finally {
    rmSync(path);
    try {
      cpSync(join(ROOT, file), path);
    } catch {
      // The file was new: nothing to put back.
    }
  }
}

describe("npm run check refuses", () => {
  test.each([
    [
      "a wrong type",
      "check:types",
      "packages/topics/keys.ts",
      "\nexport const wrong: number = 'text';\n",
      "TS2322",
    ],
    [
      "a floating promise",
      "check:lint",
      "packages/topics/bad.ts",
      "async function f() {\n  await 1;\n}\nf();\n",
      "noFloatingPromises",
    ],
    ["any", "check:lint", "packages/topics/bad.ts", "export const a: any = 1;\n", "noExplicitAny"],
    [
      "an environment read",
      "check:lint",
      "packages/topics/bad.ts",
      'export const a = process.env["A"];\n',
      "noProcessEnv",
    ],
    ["another format", "check:lint", "packages/topics/bad.ts", "export const a   = 1\n", "format"],
    [
      "a package importing one it may not",
      "check:boundaries",
      "packages/contract/bad.ts",
      'export { topicMap } from "../topics/index.ts";\n',
      "package-contract-imports-only-what-it-may",
    ],
    [
      "a service importing a service",
      "check:boundaries",
      "services/ingest/bad.ts",
      'export * from "../control/config.ts";\n',
      "services-never-import-services",
    ],
    [
      "a second user of kafkajs",
      "check:boundaries",
      "services/ingest/bad.ts",
      'export * as kafkajs from "kafkajs";\n',
      "only-one-place-uses-kafkajs",
    ],
    [
      "a client importing the product",
      "check:boundaries",
      "clients/typescript/bad.ts",
      'export * from "../../packages/contract/index.ts";\n',
      "clients-depend-on-nothing",
    ],
    [
      "a cycle",
      "check:boundaries",
      "packages/topics/keys.ts",
      '\nexport { topicMap } from "./index.ts";\n',
      "no-cycles",
    ],
    [
      "an export that nobody uses",
      "check:unused",
      "packages/topics/keys.ts",
      "\nexport const unused = 1;\n",
      "unused",
    ],
    ["a stale generated file", "check:generated", "packages/topics/records.generated.ts", "\n", "stale"],
  ])("%s", (_what, script, file, text, message) => {
    const { status, output } = checkWith(script, file, text);
    expect(output).toContain(message);
    expect(status).not.toBe(0);
  });

  test("a dependency that nobody uses", () => {
    const manifest = JSON.parse(execFileSync("cat", [join(copy, "package.json")], { encoding: "utf8" })) as {
      dependencies: Record<string, string>;
    };
    manifest.dependencies["left-pad"] = "1.3.0";
    writeFileSync(join(copy, "package.json"), JSON.stringify(manifest));
    const { status, output } = check("check:unused");
    cpSync(join(ROOT, "package.json"), join(copy, "package.json"));
    expect(output).toContain("left-pad");
    expect(status).not.toBe(0);
  });
});
