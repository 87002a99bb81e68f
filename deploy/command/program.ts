// The command line as a whole: what there is, how errors end.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import addCompletion from "@bomb.sh/tab/commander";
import { Command, CommanderError } from "commander";
import { maskCredentials, SettingsError } from "#runtime";
import { printableLines } from "../start/terminal-text.ts";
import { addAudienceCommands } from "./audiences.ts";
import { addCapacity } from "./capacity/command.ts";
import type { CommandContext } from "./context.ts";
import { addDeliveryCommands } from "./deliveries.ts";
import { addDemo } from "./demo.ts";
import { addDestinationCommands } from "./destinations.ts";
import { addDoctor } from "./doctor/doctor.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addImportCommands } from "./imports.ts";
import { addKeyCommands } from "./keys.ts";
import { addLiveCommands } from "./live.ts";
import { addRegulationCommands } from "./regulations.ts";
import { addServiceCommands } from "./services.ts";
import { addSourceCommands } from "./sources.ts";
import { addTopicCommands } from "./topics.ts";
import { addTraitCommands } from "./traits.ts";

const AFTER = `
Settings are environment variables (docs/configuration.md); HOOKLINE_CONTROL_URL and HOOKLINE_CONTROL_TOKEN say which
control API the commands ask.

Exit codes: 0 done, 1 failed or not well, 2 wrong command line or setting, 3 refused, 4 not found, 5 nobody answers.

Examples:
  $ hookline doctor
  $ hookline topics apply
  $ hookline sources create --name Shop
  $ source <(hookline complete bash)`;

function version(): string {
  const manifest = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

function programOf(context: CommandContext): Command {
  const program = new Command("hookline")
    .description("Takes tracking calls over HTTP and forwards each one, signed, to webhooks.")
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.write(text),
      writeErr: (text) => context.say(text.trimEnd()),
      getOutHasColors: () => context.isColoured,
    })
    .addHelpText("after", AFTER);
  addServiceCommands(program, context);
  addTopicCommands(program, context);
  addKeyCommands(program, context);
  addSourceCommands(program, context);
  addDestinationCommands(program, context);
  addDeliveryCommands(program, context);
  addLiveCommands(program, context);
  addAudienceCommands(program, context);
  addTraitCommands(program, context);
  addImportCommands(program, context);
  addRegulationCommands(program, context);
  addDoctor(program, context);
  addCapacity(program, context);
  addDemo(program, context);
  addCompletion(program);
  return program;
}

/** Runs one command line, without the leading `hookline`; resolves to the exit code, 0 for one that its action ends otherwise. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    await programOf(context).parseAsync(args, { from: "user" });
    return EXIT.done;
  } catch (error) {
    return exitCodeOf(error, context);
  }
}

function exitCodeOf(error: unknown, { say }: CommandContext): number {
  // commander has printed its message: help, the version, what is wrong with the command line.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const message = printableLines(maskCredentials(error instanceof Error ? error.message : String(error)));
  say(`hookline: ${message}`);
  if (error instanceof CommandError) return error.exitCode;
  return error instanceof SettingsError ? EXIT.usage : EXIT.failed;
}
