import { createReadStream } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { type Command, Option } from "commander";
import type { CommandContext } from "./context.ts";
import type { Upload } from "./control-api.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addShownLeaf, askAndShow, type JsonOption, pathOf } from "./leaf.ts";

const AUDIENCES = "/v1/audiences";

interface UploadOptions extends JsonOption {
  readonly file: string;
  readonly mode: string;
  readonly format?: Format;
  readonly hold?: boolean;
}

type Format = "csv" | "ndjson";

const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  csv: "text/csv",
  ndjson: "application/x-ndjson",
};

export function addImportCommands(program: Command, context: CommandContext): void {
  const imports = program.command("imports").description("whole lists of members, uploaded");
  addUpload(imports, context);
  addShownLeaf(imports, "show <audienceId> <importId>", {
    description: "show how far an import is, and which of its rows are wrong",
    examples: ["imports show aud_1 2026-11-22"],
  }).action(async (audienceId: string, importId: string, options: JsonOption) => {
    await askAndShow(context, options, (api) => api.ask(importPath(audienceId, importId)));
  });
  addShownLeaf(imports, "confirm <audienceId> <importId>", {
    description: "apply an import that is held: it takes many members off the list, or was to be seen first",
    examples: ["imports confirm aud_1 2026-11-22"],
  }).action(async (audienceId: string, importId: string, options: JsonOption) => {
    const path = `${importPath(audienceId, importId)}/confirm`;
    await askAndShow(context, options, (api) => api.ask(path, { method: "POST" }));
  });
}

function importPath(audienceId: string, importId: string): string {
  return pathOf(AUDIENCES, audienceId, `/imports/${encodeURIComponent(importId)}`);
}

function addUpload(imports: Command, context: CommandContext): void {
  addShownLeaf(imports, "create <audienceId> <importId>", {
    description: "upload the members of a list; an import id counts once, so it can be repeated safely",
    examples: [
      "imports create aud_1 2026-11-22 --file members.csv",
      "imports create aud_1 leavers-7 --file leavers.ndjson.gz --mode remove",
    ],
  })
    .requiredOption(
      "--file <path>",
      "CSV with a column userId, or NDJSON, either may be .gz; - is standard input",
    )
    .addOption(
      new Option("--mode <mode>", "whether the members are these, or these come onto the list, or off it")
        .choices(["replace", "add", "remove"])
        .default("replace"),
    )
    .addOption(
      new Option("--format <format>", "where the file's name does not end in it").choices(["csv", "ndjson"]),
    )
    .option("--hold", "hold it once it is compared, to see what it would change, until it is confirmed")
    .action(async (audienceId: string, importId: string, options: UploadOptions) => {
      const upload = await uploadOf(context, options);
      const path = pathOf(AUDIENCES, audienceId, `/members/${encodeURIComponent(importId)}`);
      const query = { mode: options.mode, ...(options.hold === true && { hold: "true" }) };
      await askAndShow(context, options, (api) => api.upload(path, query, upload));
    });
}

async function uploadOf(context: CommandContext, { file, format }: UploadOptions): Promise<Upload> {
  const isCompressed = file.endsWith(".gz");
  const contentType = CONTENT_TYPES[format ?? formatOf(isCompressed ? file.slice(0, -".gz".length) : file)];
  if (file === "-") return { contentType, isCompressed, body: context.standardInput() };
  await access(file, constants.R_OK).catch(({ code = "unknown reason" }: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read (${code})`, EXIT.usage);
  });
  if ((await stat(file)).isDirectory()) throw new CommandError(`${file} is a folder`, EXIT.usage);
  return { contentType, isCompressed, body: Readable.toWeb(createReadStream(file)) };
}

function formatOf(file: string): Format {
  const ending = /\.(csv|ndjson|jsonl)$/.exec(file)?.[1];
  if (ending === undefined)
    throw new CommandError(
      `name the format of ${file === "-" ? "standard input" : file} with --format`,
      EXIT.usage,
    );
  return ending === "csv" ? "csv" : "ndjson";
}
