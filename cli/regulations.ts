import type { Command } from "commander";
import { type CommandContext, readText } from "./context.ts";
import { CommandError, EXIT } from "./exit-codes.ts";
import { addList, addShow, addShownLeaf, askAndShow, collect, DRY_RUN, type JsonOption } from "./leaf.ts";

const REGULATIONS = {
  name: "regulations",
  one: "how far a regulation is, source by source",
  path: "/v1/regulations",
  id: "reg_1",
};

interface StartOptions extends JsonOption {
  readonly type: string;
  readonly user?: readonly string[];
  readonly usersFile?: string;
  readonly source?: string;
  readonly dryRun?: true;
}

export function addRegulationCommands(program: Command, context: CommandContext): void {
  const regulations = program
    .command("regulations")
    .description("delete users, suppress them, or end their suppression");
  addList(regulations, context, {
    description: "list the regulations, oldest first",
    examples: ["regulations list", "regulations list --status running"],
    path: REGULATIONS.path,
    columns: {
      id: "id",
      type: "regulationType",
      users: "subjectCount",
      source: "sourceId",
      status: "status",
      notified: "notified",
    },
    filters: {
      "--regulation-type <type>": "DELETE_ONLY, SUPPRESS_ONLY, SUPPRESS_WITH_DELETE or UNSUPPRESS",
      "--status <status>": "initialized, running, finished or failed",
      "--source-id <id>": "those for this source alone",
    },
  });
  addShow(regulations, context, REGULATIONS);
  addStart(regulations, context);
}

function addStart(regulations: Command, context: CommandContext): void {
  addShownLeaf(regulations, "create", {
    description: "begin a regulation of up to 5,000 users; nothing asks whether you are sure",
    examples: [
      "regulations create --type SUPPRESS_WITH_DELETE --user u1 --user u2",
      "regulations create --type DELETE_ONLY --users-file users.txt --source src_1 --dry-run",
    ],
  })
    .requiredOption("--type <type>", "DELETE_ONLY, SUPPRESS_ONLY, SUPPRESS_WITH_DELETE or UNSUPPRESS")
    .option("--user <userId>", "the id of a user; may be given several times", collect)
    .option("--users-file <path>", "user ids, one a line; - is standard input")
    .option("--source <id>", "for this source alone; without it for the workspace")
    .option(DRY_RUN[0], "say what there is of the users, and do nothing")
    .action(async (options: StartOptions) => {
      const body = {
        regulationType: options.type,
        subjectType: "USER_ID",
        subjectIds: await usersOf(context, options),
        ...(options.source !== undefined && { sourceId: options.source }),
        ...(options.dryRun === true && { dryRun: true }),
      };
      await askAndShow(context, options, (api) => api.ask(REGULATIONS.path, { body }));
    });
}

/** Reads users as they are, except for the ends of their lines: blanks may be part of an id. */
async function usersOf(context: CommandContext, { user = [], usersFile }: StartOptions): Promise<string[]> {
  const text = usersFile === undefined ? "" : await readText(context, usersFile);
  const users = [...user, ...text.split(/\r?\n/).filter((line) => line !== "")];
  if (users.length > 0) return users;
  throw new CommandError("name the users with --user or --users-file", EXIT.usage);
}
