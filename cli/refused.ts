// What ingest refused of a source's calls: a list, and one entry with the body that was sent.
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { controlApi } from "./control-api.ts";
import { addShownLeaf, pathOf, positiveInteger, RANGE } from "./leaf.ts";
import { printJson, printTable } from "./output.ts";
import { printable } from "./terminal-text.ts";

const COLUMNS = {
  at: "at",
  code: "code",
  message: "message",
  calls: "calls",
  users: "userIds",
  id: "id",
};

const FILTERS = {
  "--code <code>": "refused for this, as docs/use/reasons.md lists it",
  "--user-id <id>": "those that name this user",
  ...RANGE,
};

const WHY: Readonly<Record<string, string>> = {
  user_deleted: "a user whom it names, or may name, was deleted",
  not_kept: "it was not kept",
  no_longer_kept: "it is no longer kept",
};

interface RefusedOptions {
  readonly json?: boolean;
  readonly limit: number;
}

export function addRefusedCommand(calls: Command, context: CommandContext): void {
  const refused = addShownLeaf(calls, "refused <sourceId> [id]", {
    description: "list what ingest refused of a source, newest first; one with its id and its body",
    examples: ["calls refused src_1 --code event_not_defined", "calls refused src_1 rfc_2s"],
  });
  for (const [flags, text] of Object.entries(FILTERS)) refused.option(flags, text);
  refused
    .option("--limit <count>", "at most so many", positiveInteger, 50)
    .action(async (sourceId: string, id: string | undefined, options: RefusedOptions) => {
      if (id === undefined) await list(context, sourceId, options);
      else await showOne(context, pathOf("/v1/sources", sourceId, pathOf("/refused-calls", id)), options);
    });
}

async function list(
  context: CommandContext,
  sourceId: string,
  { json, limit, ...query }: RefusedOptions,
): Promise<void> {
  const path = pathOf("/v1/sources", sourceId, "/refused-calls");
  const listing = await controlApi(context.environment).list(path, query, limit);
  if (json === true) printJson(context, listing);
  else printTable(context, COLUMNS, listing);
}

interface Whole {
  readonly code: string;
  readonly message: string;
  readonly bodyText: string | null;
  readonly isBodyCut: boolean;
  readonly noBody: string | null;
}

async function showOne(context: CommandContext, path: string, { json }: RefusedOptions): Promise<void> {
  const answer = await controlApi(context.environment).ask(path);
  if (json === true) return printJson(context, answer);
  const { bodyText, code, isBodyCut, message, noBody } = answer as unknown as Whole;
  context.print(printable(`${code}: ${message}`));
  context.print("");
  context.print(bodyText === null ? `No body: ${WHY[noBody ?? ""] ?? noBody}.` : printable(bodyText));
  if (isBodyCut) context.say("There was more of it.");
}
