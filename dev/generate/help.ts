// The output of `npm start -- --help` as a file: nothing has to be installed to read it.
import { helpText } from "#runtime";
import { settings } from "../start/config.ts";
import type { Generated } from "./generated.ts";

const INTRODUCTION = `npm start [-- --fresh]

Runs all of Hookline on this machine: Kafka, the schema registry, every service and a demo. Ctrl-C ends it, and once more ends it at once.
What it had is there again at the next start: sources, destinations, calls, attempts.

  --fresh   begins anew: removes what earlier starts have kept
  --help    this text

Every variable of docs/operate/configuration.md is handed on to the services; these are its own.
`;

const text = `${INTRODUCTION}\n${helpText("npm start", settings)}`;

export const generated: readonly Generated[] = [{ file: "dev/start/help.txt", text }];
