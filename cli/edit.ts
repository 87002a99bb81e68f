import type { Command } from "commander";
import { type SendingOptions, sendingOf } from "./audience-sending.ts";
import { type CommandContext, readJson } from "./context.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addShownLeaf, askAndShow, type JsonOption, pathOf, type ResourceOptions } from "./leaf.ts";

/** Of computed traits there are no options of sending. */
interface EditOptions extends SendingOptions, JsonOption {
  readonly name?: string;
  readonly definition?: string;
  readonly pause?: boolean;
  readonly resume?: boolean;
}

/** `update <id>` of what has a definition: audiences and computed traits. */
export function addEdit(parent: Command, context: CommandContext, resource: ResourceOptions): Command {
  const { name, path, id } = resource;
  return addShownLeaf(parent, "update <id>", {
    description: "rename it, give it another definition, pause or resume it; what is not named stays",
    examples: [
      `${name} update ${id} --definition definition.json`,
      `${name} update ${id} --pause`,
      `${name} update ${id} --resume`,
    ],
  })
    .option("--name <name>", "a name for people; the key stays")
    .option("--definition <path>", "JSON file as docs/use/audiences.md has it; - is standard input")
    .option("--pause", "nothing is sent until it is resumed")
    .option("--resume", "send again, beginning with what has changed meanwhile")
    .action(async (given: string, options: EditOptions) => {
      const body = await bodyOf(context, options);
      await askAndShow(context, options, (api) => api.ask(pathOf(path, given), { method: "PATCH", body }));
    });
}

async function bodyOf(
  context: CommandContext,
  { name, definition, pause, resume, ...sending }: EditOptions,
): Promise<object> {
  if (pause === true && resume === true)
    throw new CommandError("--pause and --resume exclude each other", EXIT.usage);
  return {
    ...sendingOf(sending),
    ...(name !== undefined && { name }),
    ...(definition !== undefined && { definition: await readJson(context, definition) }),
    ...(pause === true && { paused: true }),
    ...(resume === true && { paused: false }),
  };
}
