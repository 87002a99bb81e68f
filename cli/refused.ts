// What ingest refused of a source's calls: a list, and one entry with the body that was sent.
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { addListLeaf, askAndShow, type Listed, pathOf, RANGE, showList } from "./leaf.ts";
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

export function addRefusedCommand(calls: Command, context: CommandContext): void {
  addListLeaf(calls, "refused <sourceId> [id]", {
    description: "list what ingest refused of a source, newest first; one with its id and its body",
    examples: ["calls refused src_1 --code event_not_defined", "calls refused src_1 rfc_2s"],
    filters: FILTERS,
  }).action(async (sourceId: string, id: string | undefined, listed: Listed) => {
    const path = pathOf("/v1/sources", sourceId, "/refused-calls");
    if (id === undefined) await showList(context, { path, columns: COLUMNS }, listed);
    else await askAndShow(context, listed, (api) => api.ask(pathOf(path, id)), printOne);
  });
}

interface Whole {
  readonly code: string;
  readonly message: string;
  readonly bodyText: string | null;
  readonly isBodyCut: boolean;
  readonly noBody: string | null;
}

function printOne(context: CommandContext, { bodyText, code, isBodyCut, message, noBody }: Whole): void {
  context.print(printable(`${code}: ${message}`));
  context.print("");
  context.print(bodyText === null ? `No body: ${WHY[noBody ?? ""] ?? noBody}.` : printable(bodyText));
  if (isBodyCut) context.say("There was more of it.");
}
