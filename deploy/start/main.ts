// `npm start`: everything on this machine, with a demo, until Ctrl-C.
import { systemHost } from "#host";
import { helpText, maskCredentials, processEnvironment } from "#runtime";
import { checkSettings, unreadSettings } from "./check-settings.ts";
import { settings as schema } from "./config.ts";
import { endOnSignals, FORCED_AFTER_MS, OrderlyEnding } from "./ending.ts";
import { run } from "./run.ts";
import { printableLines } from "./terminal-text.ts";

const NAME = "npm start";
const INTRODUCTION = `Runs all of Hookline on this machine: Kafka, the schema registry, every service and a demo. Ctrl-C ends it, and once more ends it at once.
Every variable of docs/configuration.md is handed on to the services; these are its own.
`;

function say(line: string): void {
  process.stdout.write(`${printableLines(maskCredentials(line))}\n`);
}

async function main(): Promise<void> {
  const ending = new OrderlyEnding({ say, exit: (code) => process.exit(code) });
  endOnSignals(ending, { say, elapsed: () => systemHost.elapsed(), forcedAfterMs: FORCED_AFTER_MS });
  // Data, logs and the development key are this user's; Kafka and the services inherit it.
  process.umask(0o077);
  const environment = processEnvironment();
  try {
    for (const sentence of unreadSettings(environment)) say(`WARN ${sentence}`);
    const settings = checkSettings(NAME, environment);
    await ending.interrupts(run({ settings, environment, say, ending }));
  } catch (error) {
    if (ending.isBegun) return;
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${NAME} failed: ${printableLines(maskCredentials(reason))}\n`);
    await ending.end(1);
  }
}

if (process.argv.includes("--help")) process.stdout.write(`${INTRODUCTION}\n${helpText(NAME, schema)}`);
else await main();
