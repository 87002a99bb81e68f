// Calls that wait for a destination: let them wait, send them now.
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { addList, addShownLeaf, askAndShow, collect, DRY_RUN, type JsonOption, pathOf } from "./leaf.ts";

const DESTINATIONS = "/v1/destinations";

const COLUMNS = {
  "message id": "messageId",
  state: "state",
  "next attempt": "nextAttemptAt",
  attempts: "attempts",
  received: "receivedAt",
};

export function addWaitingCommands(destinations: Command, context: CommandContext): void {
  addWaiting(destinations, context);
  addShownLeaf(destinations, "pause <id>", {
    description: "let its calls wait, new ones too, until it is resumed",
    examples: ["destinations pause dst_1", "destinations pause dst_1 --calls-wait-for 12h"],
  })
    .option(
      "--calls-wait-for <duration>",
      "the longest wait of a call, then it is a dead letter; the retry window by default",
    )
    .option(...DRY_RUN)
    .action(async (id: string, { json, ...body }: JsonOption) => {
      const path = pathOf(DESTINATIONS, id, "/pause");
      await askAndShow(context, { json }, (api) => api.ask(path, { body }));
    });
  addShownLeaf(destinations, "resume <id>", {
    description: "end a pause; what waits is sent now",
    examples: ["destinations resume dst_1", "destinations resume dst_1 --dry-run"],
  })
    .option(...DRY_RUN)
    .action(async (id: string, { json, ...body }: JsonOption) => {
      const path = pathOf(DESTINATIONS, id, "/resume");
      await askAndShow(context, { json }, (api) => api.ask(path, { body }));
    });
  addRetry(destinations, context);
}

function addWaiting(destinations: Command, context: CommandContext): void {
  addList(destinations, context, {
    usage: "waiting <id>",
    description: "list the calls that wait for it, and when each is attempted next",
    examples: ["destinations waiting dst_1", "destinations waiting dst_1 --reason http_5xx --min-attempts 3"],
    path: (id) => pathOf(DESTINATIONS, id, "/waiting"),
    columns: COLUMNS,
    filters: {
      "--state <state>": "queued, waiting or paused",
      "--webhook-id <id>": "tried at this webhook, or put off for it",
      "--reason <reason>": "whose last outcome at a webhook was this, as in `http_5xx`",
      "--min-attempts <count>": "attempted at least so often",
      "--source-id <id>": "of one source",
      "--type <type>": "of one type, as in `track`",
      "--message-id <id>": "one call, by its messageId",
      "--user-id <id>": "of one user",
      "--anonymous-id <id>": "of one user who has no user id",
    },
  });
}

interface RetryOptions extends JsonOption {
  readonly messageId?: string[];
}

function addRetry(destinations: Command, context: CommandContext): void {
  addShownLeaf(destinations, "retry <id>", {
    description: "send what waits now, ahead of its time",
    examples: ["destinations retry dst_1", "destinations retry dst_1 --message-id order-1 --user-id u1"],
  })
    .option("--message-id <id>", "this call alone, by its messageId; may be given several times", collect)
    .option("--user-id <id>", "calls of this user alone")
    .option("--anonymous-id <id>", "calls of one user who has no user id")
    .option(...DRY_RUN)
    .action(async (id: string, { json, messageId: messageIds, ...more }: RetryOptions) => {
      const body = { ...(messageIds && { messageIds }), ...more };
      const path = pathOf(DESTINATIONS, id, "/retry");
      await askAndShow(context, { json }, (api) => api.ask(path, { body }));
    });
}
