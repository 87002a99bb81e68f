// The common parts of all commands: a description, examples, --json.
import { type Command, InvalidArgumentError } from "commander";
import type { JsonObject } from "#contract";
import type { CommandContext } from "./context.ts";
import { type ControlApi, controlApi, type Query } from "./control-api.ts";
import { type Columns, printFields, printJson, printTable } from "./output.ts";

interface LeafOptions {
  readonly description: string;
  /** Command lines without the leading `hookline`. */
  readonly examples: readonly string[];
}

export interface JsonOption {
  readonly json?: boolean | undefined;
}

/** A command that does something. `usage` is its name and its arguments. */
export function addLeaf(parent: Command, usage: string, { description, examples }: LeafOptions): Command {
  const lines = examples.map((example) => `  $ hookline ${example}`);
  return parent
    .command(usage)
    .description(description)
    .addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

/** Adds a command as addLeaf does, with --json. */
export function addShownLeaf(parent: Command, usage: string, options: LeafOptions): Command {
  return addLeaf(parent, usage, options).option("--json", "print JSON, as the control API gives it");
}

const DEFAULT_LIMIT = 50;

interface ListOptions extends LeafOptions {
  /** The command and its argument where the path has an id; `list` unless given. */
  readonly usage?: string;
  readonly path: string | ((id: string) => string);
  readonly columns: Columns;
  /** Descriptions by option (`--source-id <id>`); each is the query's field of the same name. */
  readonly filters?: Readonly<Record<string, string>>;
  /** Descriptions as in `filters`, of options that may be given several times. */
  readonly repeatedFilters?: Readonly<Record<string, string>>;
}

/** Filters of lists of sources and destinations. */
export const LIST_FILTERS = {
  "--name <name>": "those with exactly this name",
  "--enabled <true|false>": "those that are switched on, or off",
  "--search <text>": "those whose name or id has this text",
  "--sort <order>": "createdAt, -createdAt, name or -name",
};

export type Listed = JsonOption & { readonly limit: number } & Query;

/** A command of one line for each entry, whose action gets `Listed`. */
export function addListLeaf(
  parent: Command,
  usage: string,
  { filters = {}, repeatedFilters = {}, ...options }: Omit<ListOptions, "path" | "columns">,
): Command {
  const command = addShownLeaf(parent, usage, options).option(
    "--limit <count>",
    "at most so many",
    positiveInteger,
    DEFAULT_LIMIT,
  );
  addOptions(command, filters);
  for (const [flags, description] of Object.entries(repeatedFilters))
    command.option(flags, description, collect);
  return command;
}

/** `list`, or the command of `usage`. */
export function addList(parent: Command, context: CommandContext, options: ListOptions): void {
  const { usage = "list", path, columns } = options;
  const command = addListLeaf(parent, usage, options);
  if (typeof path === "string")
    command.action((listed: Listed) => showList(context, { path, columns }, listed));
  else command.action((id: string, listed: Listed) => showList(context, { path: path(id), columns }, listed));
}

export async function showList(
  context: CommandContext,
  { path, columns }: { readonly path: string; readonly columns: Columns },
  { limit, json, ...query }: Listed,
): Promise<void> {
  const listing = await controlApi(context.environment).list(path, query, limit);
  if (json === true) printJson(context, listing);
  else printTable(context, columns, listing);
}

export function positiveInteger(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new InvalidArgumentError("It is not a whole number above 0.");
}

/** Adds options by their flags, each with its description. */
export function addOptions(command: Command, descriptions: Readonly<Record<string, string>>): Command {
  for (const [flags, description] of Object.entries(descriptions)) command.option(flags, description);
  return command;
}

/** Options of what asks for a range of time. */
export const RANGE = {
  "--from <time>": "first moment, as 2026-01-31T12:00Z",
  "--to <time>": "first moment not asked for",
};

/** Of what may touch many calls. */
export const DRY_RUN = ["--dry-run", "say how many calls are meant, and do nothing"] as const;

const LAST_PORT = 65_535;

export function portNumber(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= LAST_PORT) return Number(text);
  throw new InvalidArgumentError("It is no port.");
}

export function positiveNumber(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError("It is not a number above 0.");
}

/** Collects values of an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Asks, and shows what is answered: as one thing, or as `show` does, which reads so much of it. */
export async function askAndShow<Read = JsonObject>(
  context: CommandContext,
  { json }: JsonOption,
  ask: (api: ControlApi) => Promise<JsonObject>,
  show?: (context: CommandContext, answer: Read) => void,
): Promise<JsonObject> {
  const answer = await ask(controlApi(context.environment));
  if (json === true) printJson(context, answer);
  else if (show === undefined) printFields(context, answer);
  else show(context, answer as Read);
  return answer;
}

export interface ResourceOptions {
  /** The name as in `sources list`. */
  readonly name: string;
  /** The name as in "a source". */
  readonly one: string;
  readonly path: string;
  /** An id as it is in examples. */
  readonly id: string;
}

export function pathOf(collection: string, id: string, rest = ""): string {
  return `${collection}/${encodeURIComponent(id)}${rest}`;
}

/** `show <id>`. */
export function addShow(parent: Command, context: CommandContext, resource: ResourceOptions): void {
  const { name, one, path, id } = resource;
  addShownLeaf(parent, "show <id>", {
    description: `show ${one}`,
    examples: [`${name} show ${id}`, `${name} show ${id} --json`],
  }).action(async (given: string, options: JsonOption) => {
    await askAndShow(context, options, (api) => api.ask(pathOf(path, given)));
  });
}

/** `delete <id>`, done at once. */
export function addDelete(parent: Command, context: CommandContext, resource: ResourceOptions): void {
  const { name, one, path, id } = resource;
  addLeaf(parent, "delete <id>", {
    description: `delete ${one}; nothing asks whether you are sure`,
    examples: [`${name} delete ${id}`],
  }).action(async (given: string) => {
    await controlApi(context.environment).ask(pathOf(path, given), { method: "DELETE" });
    context.say(`${given} is deleted.`);
  });
}
