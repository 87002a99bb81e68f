// Whole lists as CSV, as the control API streams them.
import { type Command, Option } from "commander";
import type { CommandContext } from "./context.ts";
import { controlApi } from "./control-api.ts";

export interface CsvOptions {
  readonly csv?: boolean;
  readonly cells?: string;
}

/** `what` the rows are, and their columns. */
export function addCsvOptions(command: Command, what: string): Command {
  const cells = new Option(
    "--cells <how>",
    "of --csv: safe puts an apostrophe before what a spreadsheet would run, exact leaves texts as they are",
  );
  return command.option("--csv", what).addOption(cells.choices(["safe", "exact"]).implies({ csv: true }));
}

export async function writeCsv(context: CommandContext, path: string, { cells }: CsvOptions): Promise<void> {
  for await (const piece of controlApi(context.environment).stream(path, { cells })) {
    context.write(piece);
    await context.drained();
  }
}
