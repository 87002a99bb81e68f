import type { Environment } from "#runtime";
import { until } from "../../cli/until.ts";
import { type Child, startChild } from "./child.ts";
import type { Software } from "./software.ts";
import { StackError } from "./stack-error.ts";

// Seconds on a machine of its own; a small one that builds and tests at once takes its time.
const READY_TIMEOUT_MS = 120_000;
const KEPT_LINES = 20;

/** The context that all JVM programs of one stack share. */
export interface JvmContext {
  readonly java: string;
  readonly software: Software;
  readonly environment: Environment;
  readonly log: (line: string) => void;
}

export interface JvmCommand {
  /** The name in messages. */
  readonly name: string;
  readonly java: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly answers: () => Promise<boolean>;
}

/** Why a program is not there: its last errors, or its last lines when it named none. */
function lastWords(lines: readonly string[]): string {
  const telling = lines.filter((line) => /error|exception|fatal/i.test(line));
  return (telling.length > 0 ? telling : lines).slice(-3).join("\n  ");
}

/** Starts a JVM program and waits until it answers. */
export async function startJvm({ name, java, args, environment, answers }: JvmCommand): Promise<Child> {
  const lines: string[] = [];
  const child = await startChild({
    command: java,
    args,
    environment,
    onLine: (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
    },
  });
  try {
    await until(async () => !child.isRunning() || (await answers()), {
      timeoutMs: READY_TIMEOUT_MS,
      what: `${name} to answer`,
    });
  } catch (error) {
    await child.kill();
    throw error;
  }
  if (!child.isRunning()) {
    const message = `${name} ended with ${await child.exited}:\n  ${lastWords(lines)}`;
    throw new StackError("failed", message, { isOfData: true });
  }
  return child;
}

/** Runs a short JVM program to its end. */
export async function runJvm({ name, java, args, environment }: Omit<JvmCommand, "answers">): Promise<void> {
  const lines: string[] = [];
  const child = await startChild({ command: java, args, environment, onLine: (line) => lines.push(line) });
  const exitCode = await child.exited;
  if (exitCode !== 0)
    throw new StackError("failed", `${name} ended with ${exitCode}:\n  ${lastWords(lines)}`);
}

/** Major version that `java -version` names: "17.0.15" is 17, "1.8.0" is 8. */
export function javaMajor(versionOutput: string): number | undefined {
  const match = /version "(?:1\.)?(\d+)/.exec(versionOutput);
  return match === null ? undefined : Number(match[1]);
}
