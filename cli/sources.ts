import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { addLabelChanges, addLabelOption, LABEL_FILTER, type LabelOptions, labelsOf } from "./labels.ts";
import {
  addDelete,
  addList,
  addShow,
  addShownLeaf,
  askAndShow,
  type JsonOption,
  LIST_FILTERS,
  pathOf,
} from "./leaf.ts";

const SOURCES = { name: "sources", one: "a source", path: "/v1/sources", id: "src_1" };

interface SourceOptions extends LabelOptions, JsonOption {
  readonly name?: string;
  readonly id?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

export function addSourceCommands(program: Command, context: CommandContext): void {
  const sources = program.command("sources").description("whose calls come in: their names and write keys");
  addList(sources, context, {
    description: "list the sources, oldest first",
    examples: [
      "sources list",
      "sources list --search shop --sort name",
      "sources list --label team:growth --json",
    ],
    path: SOURCES.path,
    columns: { id: "id", name: "name", enabled: "enabled", "write keys": "writeKeys" },
    filters: LIST_FILTERS,
    repeatedFilters: LABEL_FILTER,
  });
  addShow(sources, context, SOURCES);
  addCreate(sources, context);
  addUpdate(sources, context);
  addDelete(sources, context, SOURCES);
}

function addCreate(sources: Command, context: CommandContext): void {
  const create = addShownLeaf(sources, "create", {
    description: "make a source, with its first write key",
    examples: [
      "sources create --name Shop",
      "sources create --name Shop --id shop --label team=growth --json",
    ],
  });
  addLabelOption(create)
    .requiredOption("--name <name>", "for people")
    .option("--id <id>", "the source's id; made up when not given")
    .action(async ({ json, label = [], ...given }: SourceOptions) => {
      const body = { ...given, ...labelsOf({ label }) };
      await askAndShow(context, { json }, (api) => api.ask(SOURCES.path, { body }));
    });
}

function addUpdate(sources: Command, context: CommandContext): void {
  const update = addShownLeaf(sources, "update <id>", {
    description: "rename a source, switch it on or off, change its labels",
    examples: [
      "sources update src_1 --name 'Old shop' --disable",
      "sources update src_1 --remove-label team",
    ],
  });
  addLabelChanges(update)
    .option("--name <name>", "its new name")
    .option("--enable", "calls are accepted")
    .option("--disable", "calls are refused")
    .action(async (id: string, options: SourceOptions) => {
      const body = {
        ...(options.name !== undefined && { name: options.name }),
        ...(options.enable === true && { enabled: true }),
        ...(options.disable === true && { enabled: false }),
        ...labelsOf(options),
      };
      await askAndShow(context, options, (api) =>
        api.ask(pathOf(SOURCES.path, id), { method: "PATCH", body }),
      );
    });
}
