import type { Command } from "commander";
import type { JsonObject } from "#contract";
import type { CommandContext } from "./context.ts";
import { controlApi, type Query } from "./control-api.ts";
import { addShownLeaf, pathOf, RANGE } from "./leaf.ts";
import { printJson, printTable } from "./output.ts";

const COLUMNS = { at: "at", size: "size", entered: "entered", left: "left" };

type Sizes = Query & { readonly json?: boolean };

/** `audiences sizes <id>`. */
export function addSizes(audiences: Command, context: CommandContext): void {
  const sizes = addShownLeaf(audiences, "sizes <id>", {
    description: "how many were in an audience or list, and how many entered and left, by day or hour",
    examples: ["audiences sizes aud_1", "audiences sizes aud_1 --step hour --from 2026-01-31"],
  });
  for (const [flags, description] of Object.entries(RANGE)) sizes.option(flags, description);
  sizes
    .option("--step <step>", "what a line counts: hour or day")
    .action(async (id: string, { json, ...query }: Sizes) => {
      const answer = await controlApi(context.environment).ask(pathOf("/v1/audiences", id, "/sizes"), {
        query,
      });
      if (json === true) printJson(context, answer);
      else printTable(context, COLUMNS, { data: answer["data"] as JsonObject[], next: null });
    });
}
