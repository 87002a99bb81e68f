import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { addDelete, addList, addShow, addShownLeaf, askAndShow, LIST_FILTERS, pathOf } from "./leaf.ts";

const SOURCES = { name: "sources", one: "a source", path: "/v1/sources", id: "src_1" };

interface SourceOptions {
  readonly json?: boolean;
  readonly name?: string;
  readonly id?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

export function addSourceCommands(program: Command, context: CommandContext): void {
  const sources = program.command("sources").description("whose calls come in: their names and write keys");
  addList(sources, context, {
    description: "list the sources, oldest first",
    examples: ["sources list", "sources list --search shop --sort name", "sources list --json --limit 500"],
    path: SOURCES.path,
    columns: { id: "id", name: "name", enabled: "enabled", "write keys": "writeKeys" },
    filters: LIST_FILTERS,
  });
  addShow(sources, context, SOURCES);
  addCreate(sources, context);
  addUpdate(sources, context);
  addDelete(sources, context, SOURCES);
}

function addCreate(sources: Command, context: CommandContext): void {
  addShownLeaf(sources, "create", {
    description: "make a source, with its first write key",
    examples: ["sources create --name Shop", "sources create --name Shop --id shop --json"],
  })
    .requiredOption("--name <name>", "for people")
    .option("--id <id>", "its id, where it should not be made up")
    .action(async ({ json, ...body }: SourceOptions) => {
      await askAndShow(context, { ...(json === true && { json }) }, (api) => api.ask(SOURCES.path, { body }));
    });
}

function addUpdate(sources: Command, context: CommandContext): void {
  addShownLeaf(sources, "update <id>", {
    description: "rename a source, switch it on or off",
    examples: ["sources update src_1 --name 'Old shop' --disable"],
  })
    .option("--name <name>", "its new name")
    .option("--enable", "calls are accepted")
    .option("--disable", "calls are refused")
    .action(async (id: string, options: SourceOptions) => {
      const body = {
        ...(options.name !== undefined && { name: options.name }),
        ...(options.enable === true && { enabled: true }),
        ...(options.disable === true && { enabled: false }),
      };
      await askAndShow(context, options, (api) =>
        api.ask(pathOf(SOURCES.path, id), { method: "PATCH", body }),
      );
    });
}
