// Every rule of .dependency-cruiser.cjs refuses what it is there for: bad files for all of them at once, in a project of stubs.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";

const ROOT = join(import.meta.dirname, "../..");

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string; readonly pathNot?: string };
  readonly to: { readonly path?: string; readonly pathNot?: string | readonly string[] };
}

const { forbidden } = createRequire(import.meta.url)(join(ROOT, ".dependency-cruiser.cjs")) as {
  forbidden: readonly Rule[];
};

/** A file that a rule must refuse because of what it imports. */
interface Bad {
  readonly rule: string;
  readonly file: string;
  readonly imports: string;
}

const PACKAGE_RULE = /^package-([a-z]+)-imports-only-what-it-may$/;
const packageRules = forbidden.filter(({ name }) => PACKAGE_RULE.test(name));
const packages = packageRules.map(({ name }) => PACKAGE_RULE.exec(name)?.[1] ?? "");

/** What a package's rule does not list, each in a file of its own; beside it what no package may import. */
function badImportsOf({ name: rule, to }: Rule): Bad[] {
  const own = PACKAGE_RULE.exec(rule)?.[1] ?? "";
  const allowed = new RegExp(String(to.pathNot));
  const others = packages.filter((one) => !allowed.test(`packages/${one}/index.ts`));
  const targets = [
    ...others.map((one) => [one, `../${one}/index.ts`]),
    ["service", "../../services/one/a.ts"],
  ];
  return targets.map(([target, imports = ""]) => ({
    rule,
    file: `packages/${own}/bad-${target}.ts`,
    imports,
  }));
}

/** An npm package that one place may use, used by another. */
function badUseOf({ name: rule, to }: Rule): Bad[] {
  const imports = /^node_modules\/(.*)\/$/.exec(String(to.path))?.[1] ?? "";
  return [{ rule, file: `services/one/bad-${rule}.ts`, imports }];
}

const SINGLE: readonly Bad[] = [
  { rule: "no-cycles", file: "services/one/cycle-a.ts", imports: "./cycle-b.ts" },
  { rule: "nothing-unresolved", file: "services/one/unresolved.ts", imports: "./not-there.ts" },
  { rule: "nothing-unresolved", file: "services/one/unknown.ts", imports: "not-a-package-of-ours" },
  { rule: "services-never-import-services", file: "services/one/bad.ts", imports: "../two/a.ts" },
  {
    rule: "production-code-never-imports-tests-or-tools",
    file: "services/one/bad-test.ts",
    imports: "../../test/support/a.ts",
  },
  {
    rule: "production-code-never-imports-tests-or-tools",
    file: "packages/topics/bad-tool.ts",
    imports: "../../dev/local/a.ts",
  },
  ...["services/one", "packages/kafka", "cli", "dev/local", "deploy/one"].map((folder) => ({
    rule: "only-tests-import-the-fakes",
    file: `${folder}/bad-fakes.ts`,
    imports: `${"../".repeat(folder.split("/").length)}packages/testing/index.ts`,
  })),
  ...["services/one", "clients/one", "test/one", "deploy/one", "cli/one", "dev/one"].map((folder) => ({
    rule: "packages-are-entered-by-their-front-door",
    file: `${folder}/bad-door.ts`,
    imports: "../../packages/topics/inner.ts",
  })),
  ...["dev/local", "deploy/one", "test/support"].map((folder) => ({
    rule: "the-shipped-command-imports-no-tools",
    file: `cli/bad-${folder.replace("/", "-")}.ts`,
    imports: `../${folder}/a.ts`,
  })),
  ...["../../packages/topics/index.ts", "../two/a.ts", "undici"].map((imports, index) => ({
    rule: "clients-depend-on-nothing",
    file: `clients/one/bad-${index}.ts`,
    imports,
  })),
  ...["../packages/topics/index.ts", "../services/two/a.ts", "../dev/local/a.ts"].map((imports, index) => ({
    rule: "console-imports-nothing-of-the-product",
    file: `console/bad-${index}.ts`,
    imports,
  })),
  ...["services/one", "test/one", "deploy/one"].map((folder) => ({
    rule: "nothing-imports-the-console",
    file: `${folder}/bad-console.ts`,
    imports: "../../console/a.ts",
  })),
];

/** In their order: each imports only those before it. */
const WINGS = ["http", "records", "resources", "deliveries", "jobs"];

const ROOMS: readonly Bad[] = [
  ...WINGS.flatMap((wing, index) =>
    WINGS.slice(index + 1).map((later) => ({
      rule: `control-${wing}-imports-no-later-wing`,
      file: `services/control/${wing}/bad-${later}.ts`,
      imports: `../${later}/a.ts`,
    })),
  ),
  ...["producing", "consuming", "tables", "admin", "protocol"].flatMap((room) => [
    {
      rule: "kafka-rooms-never-import-the-front",
      file: `packages/kafka/${room}/bad.ts`,
      imports: "../index.ts",
    },
    { rule: "kafka-leaves-import-no-room", file: `packages/kafka/bad-${room}.ts`, imports: `./${room}/a.ts` },
  ]),
  ...["producing", "consuming", "tables", "admin"].flatMap((room) => [
    {
      rule: "kafka-protocol-is-behind-the-seam",
      file: `packages/kafka/${room}/bad-seam.ts`,
      imports: "../protocol/a.ts",
    },
    {
      rule: "kafka-protocol-imports-no-other-room",
      file: `packages/kafka/protocol/bad-${room}.ts`,
      imports: `../${room}/a.ts`,
    },
  ]),
  ...["job", "requests", "intake", "waking", "attempt-log"].map((room) => ({
    rule: "deliverer-endpoints-know-no-jobs",
    file: `services/deliverer/endpoints/bad-${room}.ts`,
    imports: `../${room}/a.ts`,
  })),
  ...["service", "api", "config"].map((wiring) => ({
    rule: "control-wings-never-import-the-wiring",
    file: `services/control/resources/sources/bad-${wiring}.ts`,
    imports: `../../${wiring}.ts`,
  })),
];

const BAD: readonly Bad[] = [
  ...ROOMS,
  ...SINGLE,
  ...packageRules.flatMap(badImportsOf),
  ...forbidden.filter(({ name }) => name.startsWith("only-one-place-uses-")).flatMap(badUseOf),
];

/** What is imported, and what must not be refused. */
const GOOD: Readonly<Record<string, string>> = {
  ...Object.fromEntries(packages.map((name) => [`packages/${name}/index.ts`, "export const a = 1;\n"])),
  "packages/topics/inner.ts": "export const a = 1;\n",
  "packages/kafka/good.ts": 'export * from "../topics/index.ts";\nexport * as kafkajs from "kafkajs";\n',
  "packages/kafka/good.test.ts":
    'export * from "../../test/support/a.ts";\nexport * from "../testing/index.ts";\n',
  ...Object.fromEntries(
    ["producing", "consuming", "tables", "admin", "protocol"].map((room) => [
      `packages/kafka/${room}/a.ts`,
      'export * from "../types.ts";\n',
    ]),
  ),
  "packages/kafka/types.ts": "export const a = 1;\n",
  ...Object.fromEntries(
    ["job", "requests", "intake", "waking", "attempt-log"].map((room) => [
      `services/deliverer/${room}/a.ts`,
      "export const a = 1;\n",
    ]),
  ),
  ...Object.fromEntries(
    ["service", "api", "config", "telemetry"].map((file) => [
      `services/control/${file}.ts`,
      "export const a = 1;\n",
    ]),
  ),
  "services/control/resources/sources/good.ts": 'export * from "../../telemetry.ts";\n',
  ...Object.fromEntries(
    WINGS.map((wing, index) => [
      `services/control/${wing}/a.ts`,
      index === 0 ? "export const a = 1;\n" : `export * from "../${WINGS[index - 1]}/a.ts";\n`,
    ]),
  ),
  "deploy/one/a.ts": "export const a = 1;\n",
  "services/one/a.ts": 'export * from "../../packages/topics/index.ts";\n',
  "services/one/cycle-b.ts": 'export * from "./cycle-a.ts";\n',
  "services/two/a.ts": "export const a = 1;\n",
  "clients/one/good.ts": 'export { createServer } from "node:http";\n',
  "clients/two/a.ts": "export const a = 1;\n",
  "console/a.ts": "export const a = 1;\n",
  "dev/local/a.ts": "export const a = 1;\n",
  "test/support/a.ts": "export const a = 1;\n",
};

/** Of every refused import, as `rule file`. */
let refused: ReadonlySet<string>;
let folder: string;

function write(file: string, text: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

beforeAll(() => {
  folder = scratchFolder();
  for (const file of ["package.json", "tsconfig.json", ".dependency-cruiser.cjs"])
    cpSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [file, text] of Object.entries(GOOD)) write(file, text);
  for (const { file, imports } of BAD) write(file, `export * as imported from "${imports}";\n`);
  const run = spawnSync("npm", ["run", "--silent", "check:boundaries", "--", "--output-type", "json"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(run.stderr).toBe("");
  const { summary } = JSON.parse(run.stdout) as {
    summary: { violations: { from: string; rule: { name: string; severity: string } }[] };
  };
  const errors = summary.violations.filter(({ rule }) => rule.severity === "error");
  refused = new Set(errors.map(({ from, rule }) => `${rule.name} ${from}`));
}, 180_000);

test("every rule has something that it must refuse", () => {
  const names = forbidden.map(({ name }) => name);
  expect([...new Set(BAD.map(({ rule }) => rule))].sort()).toEqual(names.toSorted());
});

describe("refused is", () => {
  test.each(BAD.map(({ rule, file, imports }) => [rule, file, imports]))(
    "by %s: %s importing %s",
    (rule, file) => {
      expect(refused).toContain(`${rule} ${file}`);
    },
  );
});

test("what the rules allow is not refused", () => {
  const files = Object.keys(GOOD).filter((file) => file !== "services/one/cycle-b.ts");
  const wrong = [...refused].filter((one) => files.some((file) => one.endsWith(` ${file}`)));
  expect(wrong).toEqual([]);
});
