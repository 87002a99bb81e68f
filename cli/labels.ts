// Labels of sources and destinations, as options.
import type { Command } from "commander";
import type { JsonObject } from "#contract";
import { CommandError, EXIT } from "./exit-codes.ts";
import { collect } from "./leaf.ts";

export interface LabelOptions {
  readonly label?: readonly string[];
  readonly removeLabel?: readonly string[];
}

/** The filter of lists by label. */
export const LABEL_FILTER = {
  "--label <key[:value]>": "those with this label; of several all have to hold",
};

export function addLabelOption(command: Command): Command {
  return command.option("--label <key=value>", "a label; may be given several times", collect);
}

/** Adds options that change the labels of something that may have some already. */
export function addLabelChanges(command: Command): Command {
  return addLabelOption(command).option(
    "--remove-label <key>",
    "ends a label; may be given several times",
    collect,
  );
}

/** The field of a body; nothing when no option was given. */
export function labelsOf({ label = [], removeLabel = [] }: LabelOptions): JsonObject {
  if (label.length + removeLabel.length === 0) return {};
  const removed = removeLabel.map((key) => [key, null] as const);
  return { labels: Object.fromEntries([...removed, ...label.map(labelOf)]) };
}

function labelOf(text: string): readonly [string, string] {
  const end = text.indexOf("=");
  if (end < 1) throw new CommandError(`--label ${text} is not <key>=<value>`, EXIT.usage);
  return [text.slice(0, end), text.slice(end + 1)];
}
