// Writes the output of `npm start -- --help` as a file: nothing has to be installed to read it. `node
// dev/start/write-help.ts [--check]`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { helpText } from "#runtime";
import { settings } from "./config.ts";

const FILE = join(import.meta.dirname, "help.txt");
const INTRODUCTION = `npm start [-- --fresh]

Runs all of Hookline on this machine: Kafka, the schema registry, every service and a demo. Ctrl-C ends it, and once more ends it at once.
What it had is there again at the next start: sources, destinations, calls, attempts.

  --fresh   begins anew: removes what earlier starts have kept
  --help    this text

Every variable of docs/operate/configuration.md is handed on to the services; these are its own.
`;

const text = `${INTRODUCTION}\n${helpText("npm start", settings)}`;
if (!process.argv.includes("--check")) writeFileSync(FILE, text);
else if (readFileSync(FILE, "utf8") !== text) {
  process.stderr.write(`${FILE} is not what the settings say: run \`npm run generate\`\n`);
  process.exitCode = 1;
}
