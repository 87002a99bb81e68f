import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { environment } from "#support/environment";
import { until } from "#support/until";
import { isAlive } from "../../cli/process-life.ts";
import { type Child, startChild } from "./child.ts";

interface Run {
  readonly child: Child;
  readonly lines: string[];
}

async function runNode(script: string): Promise<Run> {
  const lines: string[] = [];
  const onLine = (line: string): number => lines.push(line);
  const child = await startChild({ command: process.execPath, args: ["-e", script], environment, onLine });
  return { child, lines };
}

async function untilSaid(run: Run, what: string): Promise<string> {
  return until(() => run.lines.find((line) => line.startsWith(what)), { timeoutMs: 60_000, what });
}

const SAY_PID_AND_STAY = "console.log('pid', process.pid); setInterval(() => {}, 1000);";

test("a child's lines and its exit code arrive", async () => {
  const run = await runNode("console.log('one'); console.error('two'); process.exitCode = 7");
  expect(await run.child.exited).toBe(7);
  expect(run.lines.toSorted()).toEqual(["one", "two"]);
});

test("SIGTERM reaches the child, which ends in its own way", async () => {
  const run = await runNode(`process.on('SIGTERM', () => process.exit(3)); ${SAY_PID_AND_STAY}`);
  await untilSaid(run, "pid");
  expect(await run.child.stop(10_000)).toBe(3);
});

test("a second SIGTERM reaches it too", async () => {
  const run = await runNode(
    `let n = 0; process.on('SIGTERM', () => { console.log('term', ++n); if (n === 2) process.exit(4) }); ${SAY_PID_AND_STAY}`,
  );
  await untilSaid(run, "pid");
  run.child.signal("SIGTERM");
  await untilSaid(run, "term 1");
  run.child.signal("SIGTERM");
  expect(await run.child.exited).toBe(4);
});

test("a child that ignores SIGTERM is killed after its grace time", async () => {
  const run = await runNode(`process.on('SIGTERM', () => {}); ${SAY_PID_AND_STAY}`);
  const pid = Number((await untilSaid(run, "pid")).split(" ")[1]);
  expect(await run.child.stop(100)).toBe(137);
  await until(() => !isAlive(pid), { timeoutMs: 60_000, what: `process ${pid} to end` });
});

test("a frozen child does nothing until it is thawed, and can be killed while it is frozen", async () => {
  const run = await runNode(SAY_PID_AND_STAY);
  const pid = (await untilSaid(run, "pid")).split(" ")[1] ?? "";
  const isFrozen = (): boolean => execFileSync("ps", ["-o", "state=", "-p", pid]).toString().startsWith("T");
  const becomes = (frozen: boolean) =>
    until(() => isFrozen() === frozen, { timeoutMs: 60_000, what: `process ${pid}` });
  run.child.freeze();
  await becomes(true);
  run.child.thaw();
  await becomes(false);
  run.child.freeze();
  await becomes(true);
  expect(await run.child.kill()).toBe(137);
  await until(() => !isAlive(Number(pid)), { timeoutMs: 60_000, what: `process ${pid} to end` });
});

test("a command that does not exist ends with 127", async () => {
  const onLine = (): undefined => undefined;
  const child = await startChild({ command: "hookline-no-such", args: [], environment, onLine });
  expect(await child.exited).toBe(127);
});

test("a child ends when the process that started it is killed", async () => {
  const path = JSON.stringify(new URL("./child.ts", import.meta.url).href);
  const parent = await runNode(`import(${path}).then(({ startChild }) => startChild({
    command: process.execPath, args: ["-e", ${JSON.stringify(SAY_PID_AND_STAY)}], environment: process.env, onLine: console.log,
  }))`);
  const pid = Number((await untilSaid(parent, "pid")).split(" ")[1]);
  expect(isAlive(pid)).toBe(true);
  await parent.child.kill();
  await until(() => !isAlive(pid), { timeoutMs: 60_000, what: `process ${pid} to end` });
});
