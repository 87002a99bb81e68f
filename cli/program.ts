// The command line as a whole: what there is, how errors end.
import addCompletion from "@bomb.sh/tab/commander";
import { Command, CommanderError } from "commander";
import { maskCredentials, releaseVersion, SettingsError } from "#runtime";
import { addAudienceCommands } from "./audiences.ts";
import { addBackupCommands } from "./backup/command.ts";
import { addCapacity } from "./capacity/command.ts";
import type { CommandContext } from "./context.ts";
import { addDeliveryCommands } from "./deliveries.ts";
import { addDemo } from "./demo/command.ts";
import { addDestinationCommands } from "./destinations.ts";
import { addDoctor } from "./doctor/doctor.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addFlow } from "./flow.ts";
import { addImportCommands } from "./imports.ts";
import { addIssueCommands } from "./issues.ts";
import { addKeyCommands } from "./keys.ts";
import { addLiveCommands } from "./live.ts";
import { addLookingCommands } from "./looking.ts";
import { addProfileCommands } from "./profiles.ts";
import { addRegulationCommands } from "./regulations.ts";
import { addServiceCommands } from "./services.ts";
import { addSourceCommands } from "./sources.ts";
import { printableLines } from "./terminal-text.ts";
import { addTopicCommands } from "./topics.ts";
import { addTraitCommands } from "./traits.ts";

const AFTER = `
Settings are environment variables (docs/operate/configuration.md); HOOKLINE_CONTROL_URL and HOOKLINE_CONTROL_TOKEN say which
control API the commands ask.

Exit codes: 0 done, 1 failed or not well, 2 wrong command line or setting, 3 refused, 4 not found, 5 nobody answers.

Examples:
  $ hookline doctor
  $ hookline topics apply
  $ hookline sources create --name Shop
  $ source <(hookline complete bash)`;

/** commander's code for a command that has only commands of its own: it prints them. */
const HELP = "commander.help";

function programOf(context: CommandContext, isJson: boolean): Command {
  const program = new Command("hookline")
    .description("Takes tracking calls over HTTP and forwards each one, signed, to webhooks.")
    .version(releaseVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.write(text),
      writeErr: (text) => context.say(text.trimEnd()),
      // Said as JSON, with its exit code, when it has ended the command.
      ...(isJson && { outputError: () => undefined }),
      getOutHasColors: () => context.isColoured,
    })
    .addHelpText("after", AFTER);
  addServiceCommands(program, context);
  addTopicCommands(program, context);
  addBackupCommands(program, context);
  addKeyCommands(program, context);
  addSourceCommands(program, context);
  addDestinationCommands(program, context);
  addDeliveryCommands(program, context);
  addIssueCommands(program, context);
  addLookingCommands(program, context);
  addFlow(program, context);
  addLiveCommands(program, context);
  addAudienceCommands(program, context);
  addTraitCommands(program, context);
  addImportCommands(program, context);
  addProfileCommands(program, context);
  addRegulationCommands(program, context);
  addDoctor(program, context);
  addCapacity(program, context);
  addDemo(program, context);
  addCompletion(program);
  return program;
}

/** Runs one command line, without the leading `hookline`; resolves to the exit code, 0 for one that its action ends otherwise. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const isJson = args.includes("--json");
  try {
    await programOf(context, isJson).parseAsync(args, { from: "user" });
    return EXIT.done;
  } catch (error) {
    return exitCodeOf(error, context, isJson);
  }
}

/**
 * Reports an error, and returns its exit code. With --json the report is one JSON object: the control API's
 * answer, the message and the exit code.
 */
function exitCodeOf(error: unknown, { say }: CommandContext, isJson: boolean): number {
  // Help and the version are printed; so is what is wrong with the command line, unless it is to be JSON.
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  if (error instanceof CommanderError) {
    const isSaid = !isJson || error.code === HELP;
    const message = error.message.replace(/^error: /, "");
    if (!isSaid) say(JSON.stringify({ message, exitCode: EXIT.usage }));
    return EXIT.usage;
  }
  const message = printableLines(maskCredentials(error instanceof Error ? error.message : String(error)));
  const own = error instanceof SettingsError ? EXIT.usage : EXIT.failed;
  const { exitCode, problem } = error instanceof CommandError ? error : { exitCode: own, problem: {} };
  say(isJson ? JSON.stringify({ ...problem, message, exitCode }) : `hookline: ${message}`);
  return exitCode;
}
