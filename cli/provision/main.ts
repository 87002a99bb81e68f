// `node cli/provision/main.ts`: creates what is missing, says what differs, ends.
import { helpText, maskCredentials, processEnvironment, readSettings, SettingsError } from "#runtime";
import { settings as schema } from "./config.ts";
import { report } from "./provision.ts";
import { runProvision } from "./run.ts";

const NAME = "provision";

function say(line: string): void {
  process.stdout.write(`${NAME}: ${maskCredentials(line)}\n`);
}

async function main(): Promise<void> {
  const settings = readSettings(schema, { processName: NAME, environment: processEnvironment() });
  const provisioned = await runProvision(settings, say);
  for (const line of report(provisioned)) say(line);
  if (provisioned.differing.some(({ isWrong }) => isWrong)) process.exitCode = 1;
}

if (process.argv.includes("--help")) {
  process.stdout.write(helpText(NAME, schema));
} else {
  try {
    await main();
  } catch (error) {
    const message = maskCredentials(error instanceof Error ? error.message : String(error));
    process.stderr.write(error instanceof SettingsError ? `${message}\n` : `${NAME}: failed: ${message}\n`);
    process.exitCode = 1;
  }
}
