import type { Command } from "commander";
import type { JsonObject } from "#contract";
import type { CommandContext } from "./context.ts";
import type { Query } from "./control-api.ts";
import { addOptions, addShownLeaf, askAndShow, type JsonOption, pathOf, RANGE } from "./leaf.ts";
import { printTable } from "./output.ts";

const COLUMNS = { at: "at", size: "size", entered: "entered", left: "left" };

type Sizes = Query & JsonOption;

/** `audiences sizes <id>`. */
export function addSizes(audiences: Command, context: CommandContext): void {
  const sizes = addShownLeaf(audiences, "sizes <id>", {
    description: "how many were in an audience or list, and how many entered and left, by day or hour",
    examples: ["audiences sizes aud_1", "audiences sizes aud_1 --step hour --from 2026-01-31"],
  });
  addOptions(sizes, { ...RANGE, "--step <step>": "what a line counts: hour or day" }).action(
    async (id: string, { json, ...query }: Sizes) => {
      const path = pathOf("/v1/audiences", id, "/sizes");
      await askAndShow(context, { json }, (api) => api.ask(path, { query }), printSizes);
    },
  );
}

function printSizes(context: CommandContext, { data }: { readonly data: readonly JsonObject[] }): void {
  printTable(context, COLUMNS, { data, next: null });
}
