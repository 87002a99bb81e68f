// What `npm run check` cares about it must refuse: bad changes, made in a scratch copy of the tracked files. Boundaries: boundaries.test.ts.
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { trackedFiles } from "./tracked-files.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Scratch copies of the tracked files: all of them, and the packages without their tests, for what takes long with all of them. */
let whole: string;
let packages: string;
const IN_PACKAGES: readonly string[] = ["check:types", "check:lint"];

function copyOf(files: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), "hookline-checks-"));
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    // A link stays one.
    cpSync(join(ROOT, file), join(copy, file), { recursive: true, verbatimSymlinks: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
  return copy;
}

const isOfPackages = (file: string): boolean =>
  !file.includes("/") || (file.startsWith("packages/") && !/\.test\.ts$|\/fixtures\//.test(file));

beforeAll(() => {
  const files = trackedFiles();
  whole = copyOf(files);
  packages = copyOf(files.filter(isOfPackages));
});

afterAll(() => {
  for (const copy of [whole, packages]) rmSync(copy, { recursive: true, force: true });
});

/** A change that `script` must refuse with a line that has `message` and, unless it names one itself, the file's name. */
type Refused = readonly [what: string, script: string, file: string, text: string, message: string];

interface Run {
  readonly status: number | null;
  readonly lines: readonly string[];
}

const copyFor = (script: string): string => (IN_PACKAGES.includes(script) ? packages : whole);

function check(script: string): Run {
  const run = spawnSync("npm", ["run", "--silent", script], { cwd: copyFor(script), encoding: "utf8" });
  return { status: run.status, lines: (run.stdout + run.stderr).split("\n") };
}

function restore(copy: string, file: string): void {
  rmSync(join(copy, file));
  if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(copy, file));
}

const runs = new Map<string, Run>();

/** What a script says of all the changes that it must refuse, made at once: every run of a tool takes long. */
function runOf(script: string): Run {
  const known = runs.get(script);
  if (known !== undefined) return known;
  const changes = REFUSED.filter((change) => change[1] === script);
  const copy = copyFor(script);
  for (const [, , file, text] of changes) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    appendFileSync(join(copy, file), text);
  }
  const run = check(script);
  for (const file of new Set(changes.map(([, , file]) => file))) restore(copy, file);
  runs.set(script, run);
  return run;
}

/** Not written out, or the check would find it here. */
const NO_RULE = ["3", "99"].join(".");
const NO_DECISION = ["decision", "9999"].join(" ");

const REFUSED: readonly Refused[] = [
  [
    "a wrong type",
    "check:types",
    "packages/topics/bad.ts",
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
  [
    "a file of more than 300 lines",
    "check:lint",
    "packages/topics/bad-long.ts",
    Array.from({ length: 301 }, (_, line) => `export const a${line} = 1;\n`).join(""),
    "noExcessiveLinesPerFile",
  ],
  [
    "a function of more than 60 lines",
    "check:lint",
    "packages/topics/bad-function.ts",
    `export function f(a: number): void {\n${"  a;\n".repeat(61)}}\n`,
    "noExcessiveLinesPerFunction",
  ],
  [
    "a function of five parameters",
    "check:lint",
    "packages/topics/bad-parameters.ts",
    "export const f = (a: 1, b: 1, c: 1, d: 1, e: 1) => [a, b, c, d, e];\n",
    "useMaxParams",
  ],
  ["another format", "check:lint", "packages/topics/bad.ts", "export const a   = 1\n", "format"],
  [
    "an export that nobody uses",
    "check:unused",
    "packages/topics/keys.ts",
    "\nexport const unused = 1;\n",
    "unused",
  ],
  [
    "a regular expression that backtracks without a bound",
    "check:expressions",
    "services/ingest/bad-slow.ts",
    'export const slow = /"[^"\\\\]*(?:\\\\.[^"\\\\]*)+"\\s*:/;\n',
    "bad-slow.ts:1 ",
  ],
  [
    "a regular expression that is made at run time",
    "check:expressions",
    "clients/typescript/bad-made.ts",
    "export const made = (text: string) => new RegExp(text);\n",
    "bad-made.ts:1 is made at run time",
  ],
  [
    "a rule cited that the contract does not have",
    "check:citations",
    "packages/topics/bad.ts",
    `// A call is delivered (contract 3.2 and ${NO_RULE}).\n`,
    `packages/topics/bad.ts:1 cites rule ${NO_RULE}`,
  ],
  [
    "a decision cited that is not there",
    "check:citations",
    "packages/topics/bad-decision.ts",
    `// A call is delivered (${NO_DECISION}).\n`,
    `packages/topics/bad-decision.ts:1 cites ${NO_DECISION}`,
  ],
  [
    "a link to a page that is not there",
    "check:citations",
    "docs/bad-page.md",
    "See [what is gone](use/gone.md).\n",
    "docs/bad-page.md links to use/gone.md",
  ],
  [
    "a link to a heading that is not there",
    "check:citations",
    "docs/bad-heading.md",
    "# Here\n\nSee [here](#here) and [there](#there).\n",
    "docs/bad-heading.md links to #there",
  ],
  [
    "two rooms that import each other",
    "check:rooms",
    "services/control/deliveries/index/owner.ts",
    'import "../attempts/parts.ts";\n',
    "imports services/control/deliveries/index, and services/control/deliveries/index/owner.ts imports services/control/deliveries/attempts",
  ],
  [
    "a word that the glossary has replaced",
    "check:words",
    "packages/topics/bad-word.ts",
    "export const openLanes = 1;\n",
    'bad-word.ts:1 says "lane"',
  ],
  [
    "a phrase that the glossary has replaced",
    "check:words",
    "packages/topics/bad-phrase.ts",
    "/** Told of each record. */\nexport const read = 1;\n",
    'bad-phrase.ts:1 says "told of"',
  ],
  [
    "a stale generated file",
    "check:generated",
    "packages/topics/records.generated.ts",
    "\n",
    "records.generated.ts is stale",
  ],
];

describe("npm run check refuses", () => {
  test.each(REFUSED)("%s", (...[, script, file, , message]) => {
    const { status, lines } = runOf(script);
    const isNamed = (line: string): boolean => message.includes(".ts") || line.includes(file);
    expect(lines.filter((line) => line.includes(message) && isNamed(line))).not.toEqual([]);
    expect(status).not.toBe(0);
  });

  test("a dependency that nobody uses", () => {
    const manifest = JSON.parse(execFileSync("cat", [join(whole, "package.json")], { encoding: "utf8" })) as {
      dependencies: Record<string, string>;
    };
    manifest.dependencies["left-pad"] = "1.3.0";
    writeFileSync(join(whole, "package.json"), JSON.stringify(manifest));
    const { status, lines } = check("check:unused");
    restore(whole, "package.json");
    expect(lines.filter((line) => line.includes("left-pad"))).not.toEqual([]);
    expect(status).not.toBe(0);
  });
});
