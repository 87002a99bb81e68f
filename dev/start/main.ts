// `npm start`: everything on this machine, with a demo, until Ctrl-C.
import { parseArgs } from "node:util";
import { systemHost } from "#host";
import { maskCredentials, processEnvironment } from "#runtime";
import { printableLines } from "../../cli/terminal-text.ts";
import { checkSettings, unreadSettings } from "./check-settings.ts";
import { endOnSignals, FORCED_AFTER_MS, OrderlyEnding } from "./ending.ts";
import { run } from "./run.ts";

const NAME = "npm start";

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
    // `--help` has been answered by bin/start.mjs, which needs nothing installed.
    const { values } = parseArgs({ options: { fresh: { type: "boolean", default: false } } });
    for (const sentence of unreadSettings(environment)) say(`WARN ${sentence}`);
    const settings = checkSettings(NAME, environment);
    await ending.interrupts(run({ settings, environment, isFresh: values.fresh, say, ending }));
  } catch (error) {
    if (ending.isBegun) return;
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${NAME} failed: ${printableLines(maskCredentials(reason))}\n`);
    await ending.end(1);
  }
}

await main();
