// The options of a destination as options of the command, from the table that the API is made from.
import type { Command } from "commander";
import type { JsonObject } from "#contract";
import { OPTIONS } from "../services/control/resources/destinations/options/table.ts";
import { type CommandContext, readJson } from "./context.ts";
import { CommandError, EXIT } from "./exit-codes.ts";

/** The type of an option's values in its schema. */
type Kind = "array" | "boolean" | "integer" | "number" | "object" | "string";

/** The word for null in the API: the default. */
const DEFAULT = "default";

/** The notation of a value; every text is a duration. */
const PLACES: Readonly<Record<Kind, string>> = {
  array: " <a,b,...>",
  boolean: "",
  integer: " <number>",
  number: " <number>",
  object: " <path>",
  string: " <duration>",
};

interface Flag {
  readonly name: string;
  readonly kind: Kind;
  readonly text: string;
}

const FLAGS: readonly Flag[] = Object.entries(OPTIONS).map(([name, option]) => {
  const schema: object = option.schema;
  const { type, description = "" } = schema as { type: Kind | [Kind, "null"]; description?: string };
  const kind = typeof type === "string" ? type : type[0];
  const text = firstSentence(description) + (kind === "object" ? " (a JSON file; - is standard input)" : "");
  return { name, kind, text };
});

export function addDestinationOptions(command: Command): Command {
  for (const { kind, name, text } of FLAGS) {
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.option(`--${flag}${PLACES[kind]}`, text);
    if (kind === "boolean") command.option(`--no-${flag}`);
  }
  return command.addHelpText("after", `\n"${DEFAULT}" as an option's value brings its default back.`);
}

/** The fields that were given. Throws a CommandError that names the option. */
export async function destinationOptions(context: CommandContext, given: object): Promise<JsonObject> {
  const values = given as Readonly<Record<string, string | boolean | undefined>>;
  const fields: Record<string, unknown> = {};
  for (const { kind, name } of FLAGS) {
    const value = values[name];
    if (typeof value === "boolean") fields[name] = value;
    else if (value === DEFAULT) fields[name] = null;
    else if (value !== undefined) fields[name] = await read(context, { kind, name, value });
  }
  return fields;
}

async function read(
  context: CommandContext,
  { kind, name, value }: { readonly kind: Kind; readonly name: string; readonly value: string },
): Promise<unknown> {
  if (kind === "object") return await readJson(context, value);
  if (kind === "array") return value.split(",").map((part) => part.trim());
  if (kind === "string") return value;
  if (value.trim() === "" || Number.isNaN(Number(value)))
    throw new CommandError(`${name}: ${value} is not a number`, EXIT.usage);
  return Number(value);
}

function firstSentence(description: string): string {
  const [text = ""] = description.split(/[:;.](?:\s|$)/);
  return text.charAt(0).toLowerCase() + text.slice(1);
}
