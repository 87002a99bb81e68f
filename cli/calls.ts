// Commands that report on one call.
import type { Command } from "commander";
import { CALL_COLUMNS, type CallAnswer, callReports } from "./call-report.ts";
import type { CommandContext } from "./context.ts";
import { addList, addShownLeaf, askAndShow, type JsonOption, pathOf, RANGE } from "./leaf.ts";
import { coloured, printTable } from "./output.ts";
import { addRefusedCommand } from "./refused.ts";
import { curlLines, type SentAnswer, sentLines } from "./sent-report.ts";
import { printable } from "./terminal-text.ts";

/** Filters of calls and of requests. */
export const CALL_FILTERS = {
  "--destination-id <id>": "of one destination",
  "--outcome <outcome>": "what became of them, as docs/use/reasons.md lists it",
  "--type <type>": "of one type, as track",
  "--event <name>": "track calls of this name",
  "--message-id <id>": "of one call",
  "--user-id <id>": "one user's",
  "--anonymous-id <id>": "one user's who has no user id",
  ...RANGE,
};

const LISTED_COLUMNS = {
  accepted: "acceptedAt",
  "message id": "messageId",
  type: "type",
  event: "event",
  user: "userId",
  outcome: "outcome",
  destinations: "destinationIds",
};

export function addCallCommands(program: Command, context: CommandContext): void {
  const calls = program.command("calls").description("what became of single calls");
  addList(calls, context, {
    usage: "list <sourceId>",
    description: "list a source's calls and what became of each, newest first",
    examples: ["calls list src_1 --event Bought", "calls list src_1 --passed-over-by dst_1 --json"],
    path: (id) => pathOf("/v1/sources", id, "/calls"),
    columns: LISTED_COLUMNS,
    filters: {
      ...CALL_FILTERS,
      "--passed-over-by <id>": "those that this destination did not get, though it was on",
      "--passed-over-reason <reason>": "those that a destination did not get for this reason",
    },
  });
  const show = addShownLeaf(calls, "show <messageId>", {
    description:
      "show a call at every destination: its requests, the next one and its time, or why it did not get there",
    examples: ["calls show 5d1c", "calls show 5d1c --source-id src_1 --json"],
  });
  withUser(show).action(async (messageId: string, { json, ...query }: JsonOption) => {
    const path = pathOf("/v1/calls", messageId);
    await askAndShow(context, { json }, (api) => api.ask(path, { query: { ...query } }), printCall);
  });
  addSent(calls, context);
  addRefusedCommand(calls, context);
}

function addSent(calls: Command, context: CommandContext): void {
  const sent = addShownLeaf(calls, "sent <messageId> <destinationId>", {
    description: "show what the webhooks of a destination are sent of a call: body, headers, a curl command",
    examples: ["calls sent 5d1c dst_1", "calls sent 5d1c dst_1 --curl"],
  }).option("--curl", "print the commands alone, one for each webhook, as they came");
  withUser(sent).action(
    async (
      messageId: string,
      destinationId: string,
      { json, curl, ...query }: JsonOption & { curl?: boolean },
    ) => {
      const path = `${pathOf("/v1/calls", messageId)}${pathOf("/destinations", destinationId)}`;
      const linesOf = curl === true ? curlLines : sentLines;
      const show = (_: CommandContext, answer: SentAnswer) => {
        for (const line of linesOf(answer)) context.print(line);
      };
      await askAndShow(context, { json }, (api) => api.ask(path, { query: { ...query } }), show);
    },
  );
}

/** Options that say whose call is meant. */
function withUser(command: Command): Command {
  return command
    .option(
      "--source-id <id>",
      "the call's source; needed when several had such a call, or it was not tried yet",
    )
    .option("--user-id <id>", "the call's user; needed when several have a call with this messageId")
    .option("--anonymous-id <id>", "the call's user, for one without a user id");
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
