// As whom the control API answers, what it can say, who changed what, how many requests came to what, and what reasons mean.
import type { Command } from "commander";
import type { JsonObject } from "#contract";
import type { CommandContext } from "./context.ts";
import { controlApi, type Query } from "./control-api.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addList, addShownLeaf, askAndShow, pathOf, RANGE } from "./leaf.ts";
import { printJson, printTable } from "./output.ts";

export function addLookingCommands(program: Command, context: CommandContext): void {
  addAudit(program, context);
  addStats(program, context);
  addReasons(program, context);
  addShownLeaf(program, "whoami", {
    description: "name and scopes of the token that is sent",
    examples: ["whoami", "whoami --json"],
  }).action(async (options: Shown) => {
    await askAndShow(context, options, (api) => api.ask("/v1/me"));
  });
  addShownLeaf(program, "info", {
    description:
      "the release of the control API, how long records are kept and how far back calls can be looked up",
    examples: ["info", "info --json"],
  }).action(async (options: Shown) => {
    await askAndShow(context, options, (api) => api.ask("/v1/info"));
  });
}

function addAudit(program: Command, context: CommandContext): void {
  const audit = program.command("audit").description("who changed what by the control API");
  addList(audit, context, {
    description: "list changes, newest first",
    examples: ["audit list --resource-id dst_1", "audit list --token deploy-pipeline --json"],
    path: "/v1/audit",
    columns: {
      at: "at",
      token: "token",
      action: "action",
      made: "isMade",
      resource: "resource",
      id: "resourceId",
    },
    filters: {
      "--token <name>": "by the holder of this token",
      "--action <action>": "of one kind, as in `create`",
      "--resource <resource>": "of one kind of thing, as in `destination`",
      "--resource-id <id>": "of one thing",
      ...RANGE,
    },
  });
}

const STATS_COLUMNS = {
  minute: "minute",
  attempts: "attempts",
  "p50 ms": "p50Ms",
  "p95 ms": "p95Ms",
  "p99 ms": "p99Ms",
};

type Shown = Query & { readonly json?: boolean };

function addStats(program: Command, context: CommandContext): void {
  const stats = addShownLeaf(program, "stats <destinationId>", {
    description:
      "requests by outcome and how long they took, by minute, of the last hour unless asked otherwise",
    examples: ["stats dst_1", "stats dst_1 --from 2026-01-31T12:00Z --json"],
  });
  for (const [flags, description] of Object.entries(RANGE)) stats.option(flags, description);
  stats.action(async (id: string, { json, ...query }: Shown) => {
    const answer = await controlApi(context.environment).ask(pathOf("/v1/destinations", id, "/stats"), {
      query,
    });
    if (json === true) return printJson(context, answer);
    const total = { minute: "total", ...(answer["total"] as JsonObject) };
    const data = [...(answer["data"] as JsonObject[]), total].map((one) => ({
      ...one,
      attempts: countsOf((one as JsonObject)["attempts"] as JsonObject),
    }));
    printTable(context, STATS_COLUMNS, { data, next: null });
  });
}

function countsOf(byOutcome: JsonObject): string {
  return Object.entries(byOutcome)
    .map(([outcome, count]) => `${outcome} ${String(count)}`)
    .join(", ");
}

function addReasons(program: Command, context: CommandContext): void {
  addShownLeaf(program, "reasons [reason]", {
    description: "what reasons mean and what can be done about them, one or all",
    examples: ["reasons http_5xx", "reasons --json"],
  }).action(async (wanted: string | undefined, { json }: Shown) => {
    const answer = await controlApi(context.environment).ask("/v1/reasons");
    const all = Object.entries(answer).flatMap(([of, reasons]) =>
      (reasons as JsonObject[]).map((reason) => ({ of, ...reason })),
    );
    const data =
      wanted === undefined ? all : all.filter((one) => "reason" in one && one["reason"] === wanted);
    if (data.length === 0) throw new CommandError(`there is no reason ${wanted}`, EXIT.notFound);
    if (json === true) printJson(context, wanted === undefined ? answer : data);
    else
      printTable(
        context,
        { of: "of", reason: "reason", meaning: "meaning", action: "action" },
        { data, next: null },
      );
  });
}
