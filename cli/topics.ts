import type { Command } from "commander";
import { type Environment, readSettings, type SettingsOf } from "#runtime";
import { addAclCommand } from "./access.ts";
import type { CommandContext } from "./context.ts";
import type { AheadGroup, ComparedDeployment } from "./deployment.ts";
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
  const { compareDeployment, groupsAhead, halfRestoredTopics } = await import("./deployment.ts");
  const settings = readProvisionSettings(context.environment);
  const found = await compareDeployment(settings).catch(refused);
  const notKnown =
    (what: string) =>
    (error: Error): undefined =>
      void context.say(`${what} is not known: ${error.message}`);
  const restores = [
    ...((await halfRestoredTopics(settings).catch(notKnown("whether a restore was cut off"))) ?? []),
  ];
  const halfRestored = restores.map(([topic, begunAtMs]) => ({ topic, begunAtMs }));
  const ahead = (await groupsAhead(settings).catch(notKnown("whether records were lost"))) ?? [];
  if (json === true) printJson(context, { ...found, halfRestored, groupsAhead: ahead });
  else {
    printTraces(context, halfRestored, ahead);
    printFound(context, found);
  }
  if (found.isUnusable || halfRestored.length > 0) context.endWith(EXIT.failed);
}

/** Of a restore: by `hookline restore`, or of Kafka's own disks. */
function printTraces(
  context: CommandContext,
  halfRestored: readonly { readonly topic: string }[],
  ahead: readonly AheadGroup[],
): void {
  for (const { topic } of halfRestored)
    context.print(
      `${coloured(context, "red", "half   ")}  topic ${topic} is half restored: unless a restore is under way, run it again`,
    );
  for (const { groupId, topic, partition, committed, end } of ahead)
    context.print(
      `${coloured(context, "yellow", "cut    ")}  topic ${topic}: partition ${partition} ends at ${end}, and group ${groupId} has read up to ${committed}: records are lost, or it was created again`,
    );
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
