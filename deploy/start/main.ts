// `npm start`: everything on this machine, with a demo, until Ctrl-C.
import { helpText, maskCredentials, processEnvironment } from "#runtime";
import { checkSettings, unreadSettings } from "./check-settings.ts";
import { settings as schema } from "./config.ts";
import { run } from "./run.ts";
import { printableLines } from "./terminal-text.ts";

const NAME = "npm start";
const INTRODUCTION = `Runs all of Hookline on this machine: Kafka, the schema registry, every service and a demo. Ctrl-C ends it.
Every variable of docs/configuration.md is handed on to the services; these are its own.
`;

/** Ends parts in the reverse order of their start. */
const stops: (() => Promise<void> | void)[] = [];
let isEnding = false;

function say(line: string): void {
  process.stdout.write(`${printableLines(maskCredentials(line))}\n`);
}

async function end(exitCode: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  for (const stop of stops.toReversed()) await stop();
  if (exitCode === 0) say("Stopped.");
  // What was only half started ends with this process.
  process.exit(exitCode);
}

/** The first signal ends everything in order, the second at once. */
function endOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (isEnding) process.exit(130);
      say("\nStopping ...");
      void end(0);
    });
  }
  // The process that started this one (bin/start.mjs) was killed.
  process.on("disconnect", () => void end(0));
}

async function main(): Promise<void> {
  endOnSignals();
  // Data, logs and the development key are this user's; Kafka and the services inherit it.
  process.umask(0o077);
  const environment = processEnvironment();
  try {
    for (const sentence of unreadSettings(environment)) say(`WARN ${sentence}`);
    const settings = checkSettings(NAME, environment);
    await run({ settings, environment, say, onStarted: (stop) => stops.push(stop) });
  } catch (error) {
    if (isEnding) return;
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${NAME} failed: ${printableLines(maskCredentials(reason))}\n`);
    await end(1);
  }
}

if (process.argv.includes("--help")) process.stdout.write(`${INTRODUCTION}\n${helpText(NAME, schema)}`);
else await main();
