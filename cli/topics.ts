import type { Command } from "commander";
import { type Environment, readSettings, type SettingsOf } from "#runtime";
import { addAclCommand } from "./access.ts";
import type { CommandContext } from "./context.ts";
import type { ComparedDeployment } from "./deployment.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addShownLeaf, type JsonOption } from "./leaf.ts";
import { coloured, printJson } from "./output.ts";
import { settings as provisionSchema } from "./provision/config.ts";

export function addTopicCommands(program: Command, context: CommandContext): void {
  const topics = program
    .command("topics")
    .description("topics and schemas: before the first start and after an upgrade");
  addShownLeaf(topics, "apply", {
    description:
      "create missing topics and register schemas; nothing that is there is changed; exit code 1 where what is there is wrong",
    examples: ["topics apply", "HOOKLINE_PROVISION_RAISE_RETENTION=true hookline topics apply"],
  }).action((options: JsonOption) => apply(context, options));
  addShownLeaf(topics, "verify", {
    description:
      "say what is missing or otherwise, and change nothing; exit code 1 where services would not work",
    examples: ["topics verify", "topics verify --json"],
  }).action((options: JsonOption) => verify(context, options));
  addAclCommand(topics, context);
}

function readProvisionSettings(environment: Environment): SettingsOf<typeof provisionSchema> {
  return readSettings(provisionSchema, { processName: "hookline topics", environment });
}

async function apply(context: CommandContext, { json }: JsonOption): Promise<void> {
  const { report, runProvision } = await import("./provision/index.ts");
  const settings = readProvisionSettings(context.environment);
  const done = await runProvision(settings, context.say).catch(refused);
  if (json === true) printJson(context, done);
  else for (const line of report(done)) context.print(line);
  if (done.differing.some(({ isWrong }) => isWrong)) context.endWith(EXIT.failed);
}

async function verify(context: CommandContext, { json }: JsonOption): Promise<void> {
  const { compareDeployment } = await import("./deployment.ts");
  const found = await compareDeployment(readProvisionSettings(context.environment)).catch(refused);
  if (json === true) printJson(context, found);
  else printFound(context, found);
  if (found.isUnusable) context.endWith(EXIT.failed);
}

function printFound(context: CommandContext, found: ComparedDeployment): void {
  for (const topic of found.missingTopics)
    context.print(`${coloured(context, "red", "missing")}  topic ${topic}`);
  for (const topic of found.lostTopics)
    context.print(
      `${coloured(context, "red", "lost   ")}  topic ${topic} had records: restore them from a backup`,
    );
  for (const subject of found.missingSchemas)
    context.print(`${coloured(context, "red", "missing")}  schema ${subject}`);
  for (const difference of found.differing) {
    const { isShort, isWrong, topic, setting, wanted, found: value } = difference;
    const word = coloured(context, isWrong ? "red" : "yellow", isShort ? "short  " : "differs");
    context.print(`${word}  topic ${topic}: ${setting} is ${value}, not ${wanted}`);
  }
  context.print(
    found.isUnusable
      ? "`hookline topics apply` creates what is missing, without records."
      : "Topics and schemas are there.",
  );
}

function refused(error: unknown): never {
  const { message } = error as Error;
  throw new CommandError(message, EXIT.unreachable);
}
