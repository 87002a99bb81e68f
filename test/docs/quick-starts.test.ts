// The quick starts of the documentation are run as they stand there: the call that each of them shows arrives.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { environment } from "#support/environment";
import { requireGo, requirePython } from "#support/installed";
import { jvmSdkClassPath } from "#support/jvm-sdks";
import { type ClientProject, createClientProject } from "#support/packed-client";
import { pythonSdkEnvironment } from "#support/python-sdk";
import { scratchFolder } from "#support/scratch-folder";
import { type IngestFixture, startFixture, WRITE_KEY } from "../../services/ingest/fixtures/http.ts";

// Go compiles at the first run.
jest.setTimeout(300_000);

const ROOT = join(import.meta.dirname, "../..");
const GUIDE = "docs/use/sending-calls.md";

let folder: string;
let project: ClientProject;
let ingest: IngestFixture;
beforeAll(async () => {
  requireGo();
  folder = scratchFolder();
  project = createClientProject();
  ingest = await startFixture();
});
afterAll(async () => {
  await ingest?.close();
  project?.remove();
});
beforeEach(() => {
  ingest.stored.length = 0;
});

/** The first program in a language that a page shows, with a write key that exists. */
function snippet(page: string, language: string): string {
  const text = readFileSync(join(ROOT, page), "utf8");
  const [, program] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(text) ?? [];
  if (program === undefined) throw new Error(`${page} shows no ${language}`);
  return program.replaceAll("<WRITE_KEY>", WRITE_KEY);
}

async function expectCallOf(program: string, args: readonly string[], cwd: string): Promise<void> {
  const env = { ...environment, HOOKLINE: ingest.url };
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  expect(ingest.stored.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: "track", userId: "019mr8mf4r", event: "Order Completed", properties: { total: 12.5 } },
  ]);
}

test("clients/typescript/README.md, after its lines to install it from a clone", async () => {
  const own = join(folder, "installed");
  mkdirSync(own);
  writeFileSync(join(own, "package.json"), '{ "type": "module", "private": true }');
  writeFileSync(join(own, "install.sh"), snippet("clients/typescript/README.md", "sh"));
  // It comes from the clone alone.
  const env = { CLONE: project.clone, npm_config_offline: "true", npm_config_ignore_scripts: "false" };
  execFileSync("sh", ["-e", "install.sh"], { cwd: own, env: { ...environment, ...env }, stdio: "pipe" });
  writeFileSync(join(own, "start.ts"), snippet("clients/typescript/README.md", "ts"));
  await expectCallOf(process.execPath, ["start.ts"], own);
});

test("clients/typescript/README.md, in TypeScript, with the packed library", async () => {
  writeFileSync(join(project.folder, "start.ts"), snippet("clients/typescript/README.md", "ts"));
  await expectCallOf(process.execPath, ["start.ts"], project.folder);
});

test(`${GUIDE}, with @segment/analytics-node`, async () => {
  writeFileSync(join(folder, "start.mjs"), snippet(GUIDE, "js"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await expectCallOf(process.execPath, ["start.mjs"], folder);
});

test(`${GUIDE}, with analytics-go v3`, async () => {
  const module = join(folder, "go");
  mkdirSync(module);
  writeFileSync(join(module, "main.go"), snippet(GUIDE, "go"));
  for (const file of ["go.mod", "go.sum"]) copyFileSync(join(ROOT, "test/sdk/go", file), join(module, file));
  execFileSync("go", ["build", "-o", "program", "."], { cwd: module, env: environment });
  await expectCallOf(join(module, "program"), [], module);
});

test(`${GUIDE}, with segment-analytics-python`, async () => {
  requirePython();
  const { PYTHONPATH } = await pythonSdkEnvironment();
  writeFileSync(join(folder, "start.py"), snippet(GUIDE, "python"));
  await expectCallOf("env", [`PYTHONPATH=${PYTHONPATH}`, "python3", "start.py"], folder);
});

test(`${GUIDE}, with analytics-java`, async () => {
  writeFileSync(join(folder, "Start.java"), snippet(GUIDE, "java"));
  await expectCallOf("java", ["-cp", await jvmSdkClassPath(), "Start.java"], folder);
});

test(`${GUIDE}, with curl`, async () => {
  await expectCallOf("sh", ["-c", snippet(GUIDE, "sh")], folder);
});
