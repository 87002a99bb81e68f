// Commands for attempts, dead letters and replays.
import type { Command } from "commander";
import { addCallCommands, CALL_FILTERS } from "./calls.ts";
import type { CommandContext } from "./context.ts";
import { controlApi } from "./control-api.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addFilterCommands } from "./filters.ts";
import {
  addList,
  addListLeaf,
  addOptions,
  addShow,
  addShownLeaf,
  askAndShow,
  DRY_RUN,
  type JsonOption,
  type Listed,
  pathOf,
  positiveNumber,
  RANGE,
  showList,
} from "./leaf.ts";
import { printAllFields } from "./output.ts";
import { addReplayCommands } from "./replays.ts";

const ATTEMPT_COLUMNS = {
  started: "startedAt",
  "message id": "messageId",
  webhook: "url",
  attempt: "attempt",
  outcome: "outcome",
  status: "status",
  ms: "durationMs",
  error: "error",
};

export function addDeliveryCommands(program: Command, context: CommandContext): void {
  addCallCommands(program, context);
  addDeliveries(program, context);
  addAttempts(program, context);
  addDeadLetters(program, context);
  addReplayCommands(program, context);
  addFilterCommands(program, context);
}

function addDeliveries(program: Command, context: CommandContext): void {
  const deliveries = program
    .command("deliveries")
    .description("requests to the webhooks of all destinations");
  addList(deliveries, context, {
    description: "list requests, newest first",
    examples: ["deliveries list --outcome failed", "deliveries list --status 5xx --event Bought --json"],
    path: "/v1/deliveries",
    columns: { destination: "destinationId", ...ATTEMPT_COLUMNS },
    filters: {
      "--source-id <id>": "of calls of one source",
      "--status <status>": "of the response: one, as 503, or a class, as 5xx",
      ...CALL_FILTERS,
    },
  });
}

function addAttempts(program: Command, context: CommandContext): void {
  const attempts = program.command("attempts").description("what happened to single requests");
  addListLeaf(attempts, "list <destinationId>", {
    description: "list a destination's requests, newest first",
    examples: ["attempts list dst_1 --outcome failed", "attempts list dst_1 --message-id m1 --details"],
    filters: {
      "--outcome <outcome>": "success, failed for every other, or one reason",
      "--message-id <id>": "of one call",
      "--details": "every field: also the answer, the connection, and the time of each part",
      ...RANGE,
    },
  }).action(async (id: string, { details, ...listed }: Listed & { readonly details?: boolean }) => {
    const path = pathOf("/v1/destinations", id, "/attempts");
    if (details !== true || listed.json === true)
      return showList(context, { path, columns: ATTEMPT_COLUMNS }, listed);
    const { limit, ...query } = listed;
    printAllFields(context, await controlApi(context.environment).list(path, query, limit));
  });
}

function addDeadLetters(program: Command, context: CommandContext): void {
  const letters = program
    .command("dead-letters")
    .description("calls that failed for good, and sending them again");
  addList(letters, context, {
    description: "list calls that failed for good, newest first",
    examples: ["dead-letters list --destination-id dst_1", "dead-letters list --reason undecodable --json"],
    path: "/v1/dead-letters",
    columns: {
      id: "id",
      died: "deadAt",
      reason: "reason",
      destination: "destinationId",
      "message id": "messageId",
      message: "message",
    },
    filters: {
      "--destination-id <id>": "of one destination",
      "--source-id <id>": "of calls of one source",
      "--reason <reason>": "as docs/use/reasons.md lists them",
      "--replay-id <id>": "what calls of this replay became again",
      "--issue-id <id>": "what is part of this issue",
      ...RANGE,
    },
  });
  addShow(letters, context, {
    name: "dead-letters",
    one: "one with its body and the reason of every webhook",
    path: "/v1/dead-letters",
    id: "dead-letters-0-17",
  });
  addReplay(letters, context);
}

interface ReplayOptions extends JsonOption {
  readonly destinationId?: string;
  readonly toDestinationId?: string;
  readonly issueId?: string;
}

function addReplay(letters: Command, context: CommandContext): void {
  const replay = addShownLeaf(letters, "replay [ids...]", {
    description: "send dead letters again: some by their ids, or all of a destination or an issue",
    examples: [
      "dead-letters replay dead-letters-0-17",
      "dead-letters replay --issue-id iss_1 --to-destination-id dst_2",
      "dead-letters replay --destination-id dst_1 --from 2026-01-31T12:00Z --calls-per-second 100",
    ],
  })
    .option("--destination-id <id>", "all dead letters of this destination so far")
    .option("--issue-id <id>", "what died of this issue")
    .option("--to-destination-id <id>", "the destination that gets them instead of their own")
    .option("--reason <reason>", "only those of the destination or issue with this reason")
    .option("--calls-per-second <number>", "the pace", positiveNumber)
    .option(...DRY_RUN);
  addOptions(replay, RANGE);
  replay.action(async (ids: readonly string[], { json, ...selection }: ReplayOptions) => {
    if (ids.length === 0 && selection.destinationId === undefined && selection.issueId === undefined)
      throw new CommandError("name ids, --destination-id or --issue-id", EXIT.usage);
    if (ids.length > 0 && selection.destinationId !== undefined)
      throw new CommandError(
        "--destination-id is not for ids; --to-destination-id sends them elsewhere",
        EXIT.usage,
      );
    const { toDestinationId, ...ofIds } = selection;
    // Beside ids the API takes destinationId as where they are sent.
    const body = ids.length === 0 ? selection : { ids, ...ofIds, destinationId: toDestinationId };
    await askAndShow(context, { json }, (api) => api.ask("/v1/dead-letters/replay", { body }));
  });
}
