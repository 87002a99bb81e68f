// Commands that look: the token's identity, the API's description, the audit log, counts of requests, and the
// meaning of reasons.
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

const CALL_COLUMNS = {
  at: "at",
  type: "eventType",
  accepted: "accepted",
  routed: "routed",
  dropped: "dropped",
  failed: "failed",
  sent: "deliveries.sent",
  "passed over": "deliveries.passedOver",
  dead: "deliveries.dead",
};

const STATS_COLUMNS = {
  minute: "minute",
  attempts: "attempts",
  "p50 ms": "p50Ms",
  "p95 ms": "p95Ms",
  "p99 ms": "p99Ms",
};

const STEP = { "--step <step>": "what a line counts: minute, hour or day" };

type Shown = Query & { readonly json?: boolean };

function addStats(program: Command, context: CommandContext): void {
  const stats = addShownLeaf(program, "stats [destinationId]", {
    description:
      "requests by outcome and how long they took, of a destination; without one what became of calls, of all sources or of one",
    examples: [
      "stats dst_1",
      "stats --source-id src_1 --step hour",
      "stats dst_1 --from 2026-01-31T12:00Z --json",
    ],
  });
  for (const [flags, description] of Object.entries({ ...RANGE, ...STEP })) stats.option(flags, description);
  stats
    .option("--source-id <id>", "what became of the calls of this source")
    .option("--group-by <field>", "eventType: print a line of calls for each")
    .action(async (id: string | undefined, { json, sourceId, ...query }: Shown & { sourceId?: string }) => {
      if (id !== undefined && sourceId !== undefined)
        throw new CommandError("give a destination's id or --source-id, not both", EXIT.usage);
      const path = id === undefined ? callStatsPath(sourceId) : pathOf("/v1/destinations", id, "/stats");
      const answer = await controlApi(context.environment).ask(path, { query });
      if (json === true) printJson(context, answer);
      else if (id === undefined) printCallStats(context, answer);
      else printRequestStats(context, answer);
    });
}

function callStatsPath(sourceId: string | undefined): string {
  return sourceId === undefined ? "/v1/stats" : pathOf("/v1/sources", sourceId, "/stats");
}

function printRequestStats(context: CommandContext, answer: JsonObject): void {
  const data = linesOf(answer, "minute").map((one) => ({
    ...one,
    attempts: countsOf(one["attempts"] as JsonObject),
  }));
  printTable(context, STATS_COLUMNS, { data, next: null });
}

function printCallStats(context: CommandContext, answer: JsonObject): void {
  const data = linesOf(answer, "at").map((one) => {
    const deliveries = one["deliveries"] as JsonObject;
    const [passedOver, dead] = ["passedOver", "dead"].map((name) => countsOf(deliveries[name] as JsonObject));
    const dropped = countsOf(one["dropped"] as JsonObject);
    return { ...one, dropped, deliveries: { ...deliveries, passedOver, dead } };
  });
  printTable(context, CALL_COLUMNS, { data, next: null });
}

/** A line for each step, and one for all of them. */
function linesOf(answer: JsonObject, time: string): JsonObject[] {
  return [...(answer["data"] as JsonObject[]), { [time]: "total", ...(answer["total"] as JsonObject) }];
}

function countsOf(byName: JsonObject): string {
  return Object.entries(byName)
    .map(([name, count]) => `${name} ${String(count)}`)
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
