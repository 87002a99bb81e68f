// Calls sent again, delivered ones too; dead letters by their ids stand in deliveries.ts.
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import {
  addList,
  addOptions,
  addShow,
  addShownLeaf,
  askAndShow,
  DRY_RUN,
  type JsonOption,
  pathOf,
  positiveNumber,
  RANGE,
} from "./leaf.ts";

export function addReplayCommands(program: Command, context: CommandContext): void {
  const replays = program.command("replays").description("replays: calls sent again, and their progress");
  addList(replays, context, {
    description: "list the replays, oldest first",
    examples: ["replays list", "replays list --destination-id dst_1"],
    path: "/v1/replays",
    filters: { "--destination-id <id>": "the destination whose calls are sent again, or that gets them" },
    columns: {
      id: "id",
      state: "state",
      matched: "matched",
      replayed: "replayed",
      "dead again": "deadAgain",
    },
  });
  addStart(replays, context);
  addShow(replays, context, { name: "replays", one: "a replay", path: "/v1/replays", id: "rpl_1" });
  addShownLeaf(replays, "cancel <id>", {
    description: "end a replay; what is sent already stays sent",
    examples: ["replays cancel rpl_1"],
  }).action(async (id: string, options: JsonOption) => {
    await askAndShow(context, options, (api) => api.ask(pathOf("/v1/replays", id), { method: "DELETE" }));
  });
}

interface StartOptions extends JsonOption {
  readonly destinationId?: string;
  readonly toDestinationId?: string;
  readonly sourceId?: string;
}

function addStart(replays: Command, context: CommandContext): void {
  const start = addShownLeaf(replays, "start", {
    description:
      "send calls of a destination again, or of a source to each of its destinations; delivered ones unless told otherwise",
    examples: [
      "replays start --destination-id dst_1 --from 2026-01-31T12:00Z --event Bought",
      "replays start --destination-id dst_1 --to-destination-id dst_2 --which all",
      "replays start --destination-id dst_1 --which missing --from 2026-01-31T12:00Z",
      "replays start --source-id src_1 --from 2026-01-31T12:00Z",
    ],
  })
    .option(
      "--destination-id <id>",
      "the destination whose calls are sent again; all of --source-id when not given",
    )
    .option("--to-destination-id <id>", "the destination that gets them instead")
    .option("--which <which>", "delivered, dead, all, or missing: never sent to it, and would be now")
    .option("--source-id <id>", "calls of one source")
    .option("--event <name>", "track calls with this event")
    .option("--message-id <id>", "a call's messageId, of every user who has one with it")
    .option("--user-id <id>", "calls of one user")
    .option("--anonymous-id <id>", "calls of one user without a user id")
    .option("--calls-per-second <number>", "the pace", positiveNumber)
    .option(...DRY_RUN);
  addOptions(start, RANGE);
  start.action(async ({ json, ...body }: StartOptions) => {
    const { path, fields } = requestOf(body);
    await askAndShow(context, { json }, (api) => api.ask(path, { body: fields }));
  });
}

function requestOf(body: StartOptions): { readonly path: string; readonly fields: object } {
  const { sourceId, ...ofSource } = body;
  if (body.destinationId !== undefined) return { path: "/v1/replays", fields: body };
  if (sourceId === undefined) throw new CommandError("name --destination-id, or --source-id", EXIT.usage);
  if (body.toDestinationId !== undefined)
    throw new CommandError("--to-destination-id goes with --destination-id", EXIT.usage);
  return { path: pathOf("/v1/sources", sourceId, "/replays"), fields: ofSource };
}
