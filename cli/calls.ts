// What became of one call.
import type { Command } from "commander";
import { CALL_COLUMNS, type CallAnswer, callReports } from "./call-report.ts";
import type { CommandContext } from "./context.ts";
import { controlApi } from "./control-api.ts";
import { addShownLeaf, pathOf } from "./leaf.ts";
import { coloured, printJson, printTable } from "./output.ts";
import { printable } from "./terminal-text.ts";

interface CallOptions {
  readonly json?: boolean;
  readonly sourceId?: string;
  readonly userId?: string;
  readonly anonymousId?: string;
}

export function addCallCommands(program: Command, context: CommandContext): void {
  const calls = program.command("calls").description("what became of single calls");
  addShownLeaf(calls, "show <messageId>", {
    description:
      "where a call is at every destination: its requests, what comes next and when, or why it did not get there",
    examples: ["calls show 5d1c", "calls show 5d1c --source-id src_1 --json"],
  })
    .option("--source-id <id>", "when several sources had such a call, or it was not tried yet")
    .option("--user-id <id>", "one user's, when several have a call with this messageId")
    .option("--anonymous-id <id>", "one user's who has no user id")
    .action(async (messageId: string, { json, ...query }: CallOptions) => {
      const api = controlApi(context.environment);
      const answer = await api.ask(pathOf("/v1/calls", messageId), { query: { ...query } });
      if (json === true) printJson(context, answer);
      else printCall(context, answer as unknown as CallAnswer);
    });
}

/** A table for each user whose call it is. */
function printCall(context: CommandContext, call: CallAnswer): void {
  context.print(coloured(context, "bold", printable(`${call.messageId} of ${call.sourceId}`)));
  for (const { heading, rows } of callReports(call)) {
    context.print("");
    context.print(printable(heading));
    if (rows.length > 0) printTable(context, CALL_COLUMNS, { data: rows, next: null });
    else context.print("no destination is connected to its source");
  }
  if (!call.isComplete)
    context.say(
      "Not all of it is here: so much waits, so many users have this call, or its newest records are not read yet.",
    );
}
