// Builds the console where it is missing or its sources have changed, beside everything else that a start does.
import { join } from "node:path";
import { startChild } from "#stack";
import type { RunOptions } from "./run-options.ts";

const PROGRAM = join(import.meta.dirname, "../../console/build/main.ts");
const STOP_GRACE_MS = 2_000;

/**
 * Builds the console in a process of its own: Vite is no part of what runs. A console that cannot be built
 * stops nothing: control serves the former one, or says that there is none.
 */
export async function buildConsole({ environment, ending, say, settings }: RunOptions): Promise<void> {
  if (!settings.console.hasConsole) return;
  const args = [PROGRAM, "--if-stale"];
  const child = await startChild({ command: process.execPath, args, environment, onLine: say });
  ending.onStarted(async () => void (await child.stop(STOP_GRACE_MS)));
  const code = await child.exited;
  if (code !== 0) say(`WARN the console was not built (exit code ${code})`);
}
