import { expect, test } from "@jest/globals";
import { environment } from "#support/environment";
import { until } from "#support/until";
import { type Child, startChild } from "./child.ts";
import { type JvmProgram, jvmProgram } from "./jvm-program.ts";

interface Watched {
  readonly program: JvmProgram;
  readonly lives: Child[];
  readonly lines: string[];
}

/** A program that stays until it is ended, each life kept. */
function watched(): Watched {
  const lives: Child[] = [];
  const lines: string[] = [];
  const launch = async (): Promise<Child> => {
    const child = await startChild({ command: "sleep", args: ["60"], environment, onLine: () => undefined });
    lives.push(child);
    return child;
  };
  const log = (line: string): number => lines.push(line);
  return { program: jvmProgram({ name: "sleeper", launch, stopGraceMs: 5000, log }), lives, lines };
}

test("a program that ends by itself is started again, and it is said", async () => {
  const { program, lives, lines } = watched();
  await program.start();
  await lives[0]?.kill();
  await until(() => lives.length === 2, { timeoutMs: 5000, what: "the second life" });
  expect(lines).toEqual(["sleeper ended with 137; starting it again"]);
  await program.kill();
});

test("a program that was stopped or killed stays down until it is started", async () => {
  const { program, lives, lines } = watched();
  for (const end of ["stop", "kill"] as const) {
    await program.start();
    await program[end]();
    expect(program.isRunning()).toBe(false);
  }
  expect(lives).toHaveLength(2);
  expect(lines).toEqual([]);
});

test("a program that is killed while it comes up does not stay", async () => {
  const { program, lives } = watched();
  const starting = program.start();
  await program.kill();
  await starting;
  expect(lives.map((child) => child.isRunning())).toEqual([false]);
});
