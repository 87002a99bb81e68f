// What became of one call.
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { addShownLeaf, askAndShow, pathOf } from "./leaf.ts";

interface CallOptions {
  readonly json?: boolean;
  readonly sourceId?: string;
}

export function addCallCommands(program: Command, context: CommandContext): void {
  const calls = program.command("calls").description("what became of single calls");
  addShownLeaf(calls, "show <messageId>", {
    description:
      "where a call is at every destination: its requests, what comes next and when, or why it did not get there",
    examples: ["calls show 5d1c --source-id src_1 --json"],
  })
    .option("--source-id <id>", "when several sources had such a call, or it was not tried yet")
    .action(async (messageId: string, { json, sourceId }: CallOptions) => {
      await askAndShow(context, { ...(json === true && { json }) }, (api) =>
        api.ask(pathOf("/v1/calls", messageId), { query: { sourceId } }),
      );
    });
}
