// Commands for issues: what fails, and what people say of it.
import type { Command } from "commander";
import { parseDuration } from "#contract";
import type { CommandContext } from "./context.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addList, addShow, addShownLeaf, askAndShow, type JsonOption, pathOf } from "./leaf.ts";

const ISSUES = { name: "issues", one: "one with its last requests", path: "/v1/issues", id: "iss_1" };

export function addIssueCommands(program: Command, context: CommandContext): void {
  const issues = program.command("issues").description("what fails, by destination, webhook and reason");
  addList(issues, context, {
    description: "list issues; what began last comes first",
    examples: ["issues list --state open", "issues list --destination-id dst_1 --json"],
    path: ISSUES.path,
    columns: {
      id: "id",
      state: "state",
      destination: "destinationId",
      reason: "reason",
      status: "status",
      webhook: "url",
      requests: "requests",
      "dead letters": "deadLetters",
      opened: "openedAt",
      last: "lastAt",
    },
    filters: {
      "--destination-id <id>": "of one destination",
      "--state <state>": "open, acknowledged, snoozed or resolved",
    },
  });
  addShow(issues, context, ISSUES);
  addChange(issues, context, "acknowledge", {
    description: "say that somebody works on it, until it is resolved",
    body: { state: "acknowledged" },
  });
  addSnooze(issues, context);
  addChange(issues, context, "resolve", {
    description: "say that it is mended; it is open again when it fails again",
    body: { state: "resolved" },
  });
  addChange(issues, context, "reopen", {
    description: "take back what was said of it",
    body: { state: "open" },
  });
}

interface Change {
  readonly description: string;
  readonly body: object;
}

function addChange(
  issues: Command,
  context: CommandContext,
  name: string,
  { body, description }: Change,
): void {
  addShownLeaf(issues, `${name} <id>`, { description, examples: [`issues ${name} iss_1`] }).action(
    async (id: string, options: JsonOption) => {
      await change(context, id, options, body);
    },
  );
}

interface SnoozeOptions extends JsonOption {
  readonly for?: string;
  readonly until?: string;
}

function addSnooze(issues: Command, context: CommandContext): void {
  addShownLeaf(issues, "snooze <id>", {
    description: "let it be for some time, also where it goes on failing",
    examples: ["issues snooze iss_1 --for 4h", "issues snooze iss_1 --until 2026-01-31T12:00Z"],
  })
    .option("--for <duration>", "so long from now, as 90m, 4h or 7d")
    .option("--until <time>", "when it is open again")
    .action(async (id: string, options: SnoozeOptions) => {
      await change(context, id, options, { state: "snoozed", snoozedUntil: endOf(options) });
    });
}

function endOf({ for: duration, until }: SnoozeOptions): string {
  if ((duration === undefined) === (until === undefined))
    throw new CommandError("give --for or --until", EXIT.usage);
  if (until !== undefined) return until;
  const durationMs = parseDuration(duration);
  if (durationMs === undefined)
    throw new CommandError(`--for ${duration} is no duration, as 4h is`, EXIT.usage);
  return new Date(Date.now() + durationMs).toISOString();
}

async function change(
  context: CommandContext,
  id: string,
  { json }: JsonOption,
  body: object,
): Promise<void> {
  await askAndShow(context, { json }, (api) => api.ask(pathOf(ISSUES.path, id), { method: "PATCH", body }));
}
