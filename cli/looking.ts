// Commands that look: the token's identity, the API's description, the audit log, counts of requests, and the
// meaning of reasons.
import type { Command } from "commander";
import type { JsonObject } from "#contract";
import type { CommandContext } from "./context.ts";
import { controlApi, type Query } from "./control-api.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addList, addOptions, addShownLeaf, askAndShow, type JsonOption, pathOf, RANGE } from "./leaf.ts";
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
  const tokens = program.command("tokens").description("who may use the control API");
  addShownLeaf(tokens, "list", {
    description: "names and scopes of the tokens; needs the scope write",
    examples: ["tokens list", "tokens list --json"],
  }).action(async (options: Shown) => {
    await askAndShow(context, options, (api) => api.ask("/v1/tokens"), printTokens);
  });
  addShownLeaf(program, "info", {
    description:
      "the release of the control API, how long records are kept and how far back calls can be looked up",
    examples: ["info", "info --json"],
  }).action(async (options: Shown) => {
    await askAndShow(context, options, (api) => api.ask("/v1/info"));
  });
}

function printTokens(context: CommandContext, { data }: { readonly data: readonly JsonObject[] }): void {
  printTable(context, { name: "name", scopes: "scopes" }, { data, next: null });
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
      "--action <action>": "of one kind, as in `created`",
      "--resource <resource>": "of one kind of thing, as in `destination`",
      "--resource-id <id>": "of one thing",
      ...RANGE,
    },
  });
}

const CALL_COLUMNS = {
  accepted: "accepted",
  routed: "routed",
  dropped: "dropped",
  failed: "failed",
  sent: "deliveries.sent",
  "passed over": "deliveries.passedOver",
  dead: "deliveries.dead",
  waiting: "deliveries.waiting",
  delivered: "deliveries.delivered",
  attempts: "requests.attempts",
  "latency p95 ms": "requests.latency.p95Ms",
};

const STATS_COLUMNS = {
  attempts: "attempts",
  "p50 ms": "p50Ms",
  "p95 ms": "p95Ms",
  "p99 ms": "p99Ms",
  "latency p50 ms": "latency.p50Ms",
  "latency p95 ms": "latency.p95Ms",
  "latency p99 ms": "latency.p99Ms",
  sent: "calls.sent",
  dead: "calls.dead",
  waiting: "calls.waiting",
  delivered: "calls.delivered",
};

/** Fields that name the group of a line. */
const GROUP_FIELDS = ["eventType", "eventName", "reason", "webhookId", "status"];

const STEP = {
  "--step <step>": "what a line counts: minute (of two days), hour (of thirty) or day (of thirteen months)",
  "--group-by <field>": "a line for each eventType, eventName, reason, webhook or status",
};

type Shown = Query & JsonOption;

function addStats(program: Command, context: CommandContext): void {
  const stats = addShownLeaf(program, "stats [destinationId]", {
    description:
      "requests by outcome and how long they took, of a destination; without one what became of calls, of all sources or of one",
    examples: [
      "stats dst_1",
      "stats --source-id src_1 --step hour --group-by eventName",
      "stats dst_1 --from 2026-01-31T12:00Z --json",
    ],
  });
  addOptions(stats, {
    ...RANGE,
    ...STEP,
    "--source-id <id>": "what became of the calls of this source",
  }).action(async (id: string | undefined, { json, sourceId, ...query }: Shown & { sourceId?: string }) => {
    if (id !== undefined && sourceId !== undefined)
      throw new CommandError("give a destination's id or --source-id, not both", EXIT.usage);
    const path = id === undefined ? callStatsPath(sourceId) : pathOf("/v1/destinations", id, "/stats");
    const show = id === undefined ? printCallStats : printRequestStats;
    await askAndShow(context, { json }, (api) => api.ask(path, { query }), show);
  });
}

function callStatsPath(sourceId: string | undefined): string {
  return sourceId === undefined ? "/v1/stats" : pathOf("/v1/sources", sourceId, "/stats");
}

function printRequestStats(context: CommandContext, answer: JsonObject): void {
  const data = linesOf(answer, "minute").map((one) => {
    const calls = one["calls"] as JsonObject;
    const dead = countsOf(calls["dead"] as JsonObject);
    return { ...one, attempts: countsOf(one["attempts"] as JsonObject), calls: { ...calls, dead } };
  });
  printTable(context, { minute: "minute", ...groupIn(answer), ...STATS_COLUMNS }, { data, next: null });
}

function printCallStats(context: CommandContext, answer: JsonObject): void {
  const data = linesOf(answer, "at").map((one) => {
    const deliveries = one["deliveries"] as JsonObject;
    const [passedOver, dead] = ["passedOver", "dead"].map((name) => countsOf(deliveries[name] as JsonObject));
    const dropped = countsOf(one["dropped"] as JsonObject);
    const requests = one["requests"] as JsonObject;
    const attempts = countsOf(requests["attempts"] as JsonObject);
    return {
      ...{ ...one, dropped, deliveries: { ...deliveries, passedOver, dead } },
      requests: { ...requests, attempts },
    };
  });
  printTable(context, { at: "at", ...groupIn(answer), ...CALL_COLUMNS }, { data, next: null });
}

/** The column of the groups, where lines are grouped. */
function groupIn(answer: JsonObject): Record<string, string> {
  const [first] = answer["data"] as JsonObject[];
  const field = GROUP_FIELDS.find((name) => first !== undefined && name in first);
  return field === undefined ? {} : { [field]: "group" };
}

/** A line for each step, and one for all of them. */
function linesOf(answer: JsonObject, time: string): JsonObject[] {
  const lines = (answer["data"] as JsonObject[]).map((one) => ({ ...one, group: groupOf(one) }));
  return [...lines, { [time]: "total", ...(answer["total"] as JsonObject) }];
}

function groupOf(line: JsonObject): string {
  const value = GROUP_FIELDS.map((name) => line[name]).find((one) => one !== undefined);
  return line["others"] === true ? "(others)" : String(value ?? "(none)");
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
