import type { Command } from "commander";
import type { JsonObject } from "#contract";
import { HEALTH_STATES } from "../services/control/resources/destinations/health/view.ts";
import { type CommandContext, readJson, readText } from "./context.ts";
import type { ControlApi } from "./control-api.ts";
import { addDestinationOptions, destinationOptions } from "./destination-options.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addLabelChanges, addLabelOption, LABEL_FILTER, type LabelOptions, labelsOf } from "./labels.ts";
import {
  addDelete,
  addList,
  addShow,
  addShownLeaf,
  askAndShow,
  collect,
  type JsonOption,
  LIST_FILTERS,
  pathOf,
} from "./leaf.ts";
import { printTable } from "./output.ts";
import { addWaitingCommands } from "./waiting.ts";

const DESTINATIONS = {
  name: "destinations",
  one: "a destination, its secrets masked",
  path: "/v1/destinations",
  id: "dst_1",
};

interface DestinationOptions extends LabelOptions, JsonOption {
  readonly name?: string;
  readonly source?: readonly string[];
  readonly webhook?: readonly string[];
  readonly header?: readonly string[];
  readonly secretFile?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
  readonly file?: string;
}

export function addDestinationCommands(program: Command, context: CommandContext): void {
  const destinations = program
    .command("destinations")
    .description("where calls go: webhooks, their secret, their options");
  addList(destinations, context, {
    description: "list the destinations and their health, oldest first",
    examples: [
      "destinations list",
      "destinations list --health failing",
      "destinations list --source-id src_1 --json",
    ],
    path: DESTINATIONS.path,
    columns: { id: "id", name: "name", enabled: "enabled", health: "health.state", sources: "sourceIds" },
    filters: {
      ...LIST_FILTERS,
      "--source-id <id>": "those that are connected to this source",
      "--health <state>": `those in this state: ${HEALTH_STATES.join(", ")}`,
    },
    repeatedFilters: LABEL_FILTER,
  });
  addShow(destinations, context, DESTINATIONS);
  addCreate(destinations, context);
  addUpdate(destinations, context);
  addTest(destinations, context);
  addWaitingCommands(destinations, context);
  addDelete(destinations, context, {
    ...DESTINATIONS,
    one: "a destination; calls that wait for it become dead letters",
  });
}

/** Adds the options that both create and update take. */
function withFields(command: Command): Command {
  const fields = command
    .option("--name <name>", "for people")
    .option("--source <id>", "a source whose calls are sent; may be given several times", collect)
    .option("--webhook <url>", "a webhook's URL; may be given up to five times", collect)
    .option(
      "--header <name: value>",
      "sent to every webhook, instead of the headers that it has; may be given several times",
      collect,
    )
    .option("--secret-file <path>", "file with the key of X-Signature; - is standard input")
    .option("--enable", "send calls")
    .option("--disable", "send none")
    .option("--file <path>", "JSON with further fields, as docs have them; - is standard input");
  return addDestinationOptions(fields);
}

function addCreate(destinations: Command, context: CommandContext): void {
  const create = withFields(
    addShownLeaf(destinations, "create", {
      description: "make a destination; it is off without --enable",
      examples: [
        "destinations create --name Hook --source src_1 --webhook https://example.com/hook --secret-file secret --enable",
        "destinations create --file destination.json --label team=growth --retry-delays 30s,5m,1h --retry-window 12h",
      ],
    }),
  );
  addLabelOption(create).action(async (options: DestinationOptions) => {
    const body = { sourceIds: [], ...(await bodyOf(context, options)) };
    await askAndShow(context, options, (api) => api.ask(DESTINATIONS.path, { body }));
  });
}

function addUpdate(destinations: Command, context: CommandContext): void {
  const update = withFields(
    addShownLeaf(destinations, "update <id>", {
      description: "change a destination; what is not named stays",
      examples: [
        "destinations update dst_1 --disable",
        "destinations update dst_1 --max-requests-per-second 50 --retry-delays default",
      ],
    }),
  );
  addLabelChanges(update).action(async (id: string, options: DestinationOptions) => {
    const body = await bodyOf(context, options);
    const path = pathOf(DESTINATIONS.path, id);
    await askAndShow(context, options, async (api) =>
      api.ask(path, { method: "PATCH", body: { ...body, ...(await keptHeaders(api, path, options)) } }),
    );
  });
}

/** Webhooks that stay keep their headers: the API takes the masked values that it shows for those that it has. */
async function keptHeaders(
  api: ControlApi,
  path: string,
  { webhook, header }: DestinationOptions,
): Promise<JsonObject> {
  if (webhook === undefined || header !== undefined) return {};
  const { webhooks } = (await api.ask(path)) as { webhooks: readonly { url: string; headers: JsonObject }[] };
  const stored = new Map(webhooks.map(({ url, headers }) => [new URL(url).href, headers]));
  return {
    webhooks: webhook.map((url) => ({ url, headers: stored.get(URL.parse(url)?.href ?? url) ?? {} })),
  };
}

/** The file's fields, and over them what the options say. */
async function bodyOf(context: CommandContext, options: DestinationOptions): Promise<JsonObject> {
  const { name, source, webhook, header, secretFile, enable, disable, file } = options;
  if (header !== undefined && webhook === undefined)
    throw new CommandError("--header goes with --webhook", EXIT.usage);
  const headers = header === undefined ? {} : { headers: headersOf(header) };
  return {
    ...(file !== undefined && (await readJson(context, file))),
    ...(name !== undefined && { name }),
    ...(source !== undefined && { sourceIds: source }),
    ...(webhook !== undefined && { webhooks: webhook.map((url) => ({ url, ...headers })) }),
    ...(secretFile !== undefined && { sharedSecret: (await readText(context, secretFile)).trim() }),
    ...(await destinationOptions(context, options)),
    ...labelsOf(options),
    ...(enable === true && { enabled: true }),
    ...(disable === true && { enabled: false }),
  };
}

function headersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((header) => {
      const colon = header.indexOf(":");
      if (colon < 1) throw new CommandError(`--header ${header} is not <name>: <value>`, EXIT.usage);
      return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()];
    }),
  );
}

function addTest(destinations: Command, context: CommandContext): void {
  addShownLeaf(destinations, "test <id>", {
    description: "send one call to every webhook at once; exit code 1 when none took it",
    examples: ["destinations test dst_1", "destinations test dst_1 --file call.json --json"],
  })
    .option("--file <path>", "JSON with the call; a sample when it is not given")
    .action(async (id: string, { file, json }: JsonOption & { file?: string }) => {
      const body = file === undefined ? {} : { call: await readJson(context, file) };
      const path = pathOf(DESTINATIONS.path, id, "/test");
      const result = await askAndShow(context, { json }, (api) => api.ask(path, { body }), printTested);
      if (result["delivered"] !== true) context.endWith(EXIT.failed);
    });
}

function printTested(
  context: CommandContext,
  { webhooks }: { readonly webhooks: readonly JsonObject[] },
): void {
  printTable(context, TEST_COLUMNS, { data: webhooks, next: null });
}

const TEST_COLUMNS = {
  webhook: "url",
  outcome: "outcome",
  reason: "reason",
  status: "status",
  ms: "durationMs",
  error: "error",
};
