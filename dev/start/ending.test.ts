// Every way in which people and programs end `npm start`, with a light stand-in for what it starts: npm, shell and launcher are real.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { requirePython } from "#support/installed";
import { type NpmStart, type NpmStartOptions, npmStart } from "#support/npm-start";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";

jest.setTimeout(180_000);

const ROOT = join(import.meta.dirname, "../..");
const STAND_IN = join(import.meta.dirname, "fixtures/stand-in-process.ts");
const PATIENCE_MS = 60_000;

let folder: string;
let npm: NpmStart | undefined;

/** A package whose `npm start` is ours, but for what it runs. */
beforeEach(async () => {
  folder = scratchFolder();
  const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const start = manifest.scripts.start.replace("bin/start.mjs", "start.mjs");
  await writeFile(join(folder, "package.json"), JSON.stringify({ scripts: { start } }));
  const launcher = await readFile(join(ROOT, "bin/start.mjs"), "utf8");
  await mkdir(join(folder, "data"));
  const own = launcher
    .replace("./install.mjs", join(ROOT, "bin/install.mjs"))
    .replace("...process.argv.slice(2)", JSON.stringify(join(folder, "data")))
    .replace("dev/start/main.ts", STAND_IN);
  await writeFile(join(folder, "start.mjs"), own);
});

afterEach(async () => {
  for (const pid of (await npm?.processes())?.keys() ?? []) process.kill(pid, "SIGKILL");
  npm = undefined;
});

/** Parts may end now. */
const go = () => writeFile(join(folder, "data", "go"), "");
const ended = () => readFile(join(folder, "data", "ended"), "utf8").catch(() => "");

async function started(options: NpmStartOptions = {}): Promise<NpmStart> {
  npm = npmStart({}, { cwd: folder, ...options });
  await npm.untilLine(/Hookline is ready/, PATIENCE_MS);
  return npm;
}

/** Waits for an end in order, once, after which nothing is left: no process, no folder. */
async function untilAllIsOver({ processes }: NpmStart): Promise<void> {
  await until(async () => (await processes()).size === 0, {
    timeoutMs: PATIENCE_MS,
    what: "no process to be left",
  });
  expect(await ended()).toBe("services Kafka half all");
  expect(await readdir(join(folder, "data"))).not.toContain("run");
}

describe("npm start ends in order, says so, and leaves nothing", () => {
  test.each([
    ["group", "SIGINT"],
    ["npm", "SIGINT"],
    ["node", "SIGINT"],
    ["group", "SIGTERM"],
    ["npm", "SIGTERM"],
    ["node", "SIGTERM"],
    ["group", "SIGHUP"],
  ] as const)("by a signal to the %s: %s", async (to, signal) => {
    await go();
    const run = await started();
    await run.signal(to, signal);
    await untilAllIsOver(run);
    expect(run.lines.filter((line) => /^Stop/.test(line))).toEqual(["Stopping ...", "Stopped."]);
  });

  test("by a second Ctrl-C, and by others, while it does so", async () => {
    const run = await started();
    run.pressCtrlC();
    await run.untilLine(/^Stopping/, PATIENCE_MS);
    run.pressCtrlC();
    await run.signal("node", "SIGTERM");
    await run.signal("node", "SIGHUP");
    expect(await ended()).toBe("");
    await go();
    await untilAllIsOver(run);
    expect(run.lines.filter((line) => /^Stop/.test(line))).toEqual(["Stopping ...", "Stopped."]);
  });

  test("but at once by one that comes later, and still leaves no process", async () => {
    await writeFile(join(folder, "data", "impatient"), "");
    const run = await started();
    await run.signal("node", "SIGTERM");
    await run.untilLine(/^Stopping/, PATIENCE_MS);
    await run.signal("node", "SIGINT");
    await until(async () => (await run.processes()).size === 0, {
      timeoutMs: PATIENCE_MS,
      what: "no process to be left",
    });
    // No part has ended in order.
    expect(await ended()).not.toMatch(/services|Kafka|all/);
    expect(run.lines).not.toContain("Stopped.");
    expect(await run.exitCode()).toBe(130);
  });

  test("when its terminal is closed", async () => {
    requirePython();
    await go();
    const run = await started({ hasTerminal: true });
    run.closeTerminal();
    await untilAllIsOver(run);
  });

  test("when npm is killed", async () => {
    await go();
    const run = await started();
    await run.signal("npm", "SIGKILL");
    await untilAllIsOver(run);
  });

  test("when the launcher is killed", async () => {
    await go();
    const run = await started();
    await run.signal("node", "SIGKILL");
    await untilAllIsOver(run);
  });
});
