import { afterEach, expect, test } from "@jest/globals";
import { environment } from "#support/environment";
import { until } from "#support/until";
import { type Child, startChild } from "./child.ts";
import { type JvmProgram, jvmProgram } from "./jvm-program.ts";

/** Lives by their number from 1, of which these do not come up. */
interface Failing {
  readonly failing?: readonly number[];
}

interface Watched {
  readonly program: JvmProgram;
  readonly lives: Child[];
  readonly lines: string[];
}

const programs: JvmProgram[] = [];

// One that a failed test has left would be started again for ever.
afterEach(async () => {
  for (const program of programs.splice(0)) await program.kill();
});

/** A program that stays until it is ended, each life kept. */
function watched({ failing = [] }: Failing = {}): Watched {
  const lives: Child[] = [];
  const lines: string[] = [];
  let launches = 0;
  const launch = async (): Promise<Child> => {
    launches += 1;
    if (failing.includes(launches)) throw new Error("it did not answer");
    const child = await startChild({ command: "sleep", args: ["60"], environment, onLine: () => undefined });
    lives.push(child);
    return child;
  };
  const log = (line: string): number => lines.push(line);
  const program = jvmProgram({ name: "sleeper", launch, stopGraceMs: 5000, reviveEveryMs: 20, log });
  programs.push(program);
  return { program, lives, lines };
}

test("a program that ends by itself is started again, and it is said", async () => {
  const { program, lives, lines } = watched();
  await program.start();
  await lives[0]?.kill();
  await until(() => lines.length === 2, { timeoutMs: 60_000, what: "the second life" });
  expect(lives).toHaveLength(2);
  expect(lines).toEqual(["sleeper ended with 137; starting it again", "sleeper is there again"]);
});

test("a program that does not come up again is tried until it does", async () => {
  const { program, lives, lines } = watched({ failing: [2, 3] });
  await program.start();
  await lives[0]?.kill();
  await until(() => lines.length === 4, { timeoutMs: 60_000, what: "the second life" });
  const failed = "sleeper did not start again, next try in 0.02 s: it did not answer";
  const [ended, again] = ["sleeper ended with 137; starting it again", "sleeper is there again"];
  expect(lines).toEqual([ended, failed, failed, again]);
  expect(program.isRunning()).toBe(true);
});

test.each(["stop", "kill"] as const)(
  "a program that does not come up again is let be after %s",
  async (end) => {
    const { program, lives, lines } = watched({ failing: Array.from({ length: 1_000 }, (_, at) => at + 2) });
    await program.start();
    await lives[0]?.kill();
    await until(() => lines.length > 2, { timeoutMs: 60_000, what: "the first tries" });
    await program[end]();
    const told = lines.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([lives.length, lines.length]).toEqual([1, told]);
  },
);

test("a program that does not come up the first time is not tried again", async () => {
  const { program, lives, lines } = watched({ failing: [1] });
  await expect(program.start()).rejects.toThrow("it did not answer");
  expect([lives, lines]).toEqual([[], []]);
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
