import type { Command } from "commander";
import { addTraitPreview } from "./audience-preview.ts";
import { type CommandContext, readJson } from "./context.ts";
import { controlApi } from "./control-api.ts";
import { addCsvOptions, type CsvOptions, writeCsv } from "./csv.ts";
import { addEdit } from "./edit.ts";
import {
  addDelete,
  addList,
  addShow,
  addShownLeaf,
  askAndShow,
  type JsonOption,
  pathOf,
  positiveInteger,
} from "./leaf.ts";
import { printJson, printTable } from "./output.ts";

const TRAITS = {
  name: "traits",
  one: "a computed trait and how far it is",
  path: "/v1/computed-traits",
  id: "trt_1",
};

export function addTraitCommands(program: Command, context: CommandContext): void {
  const traits = program.command("traits").description("computed traits: what is counted of each user");
  addList(traits, context, {
    description: "list the computed traits, oldest first",
    examples: ["traits list", "traits list --key order_count --json"],
    path: TRAITS.path,
    columns: { id: "id", key: "key", name: "name", status: "status" },
    filters: {
      "--status <status>": "preparing, live or paused",
      "--key <key>": "the one with this key",
    },
  });
  addShow(traits, context, TRAITS);
  addCreate(traits, context);
  addTraitPreview(traits, context);
  addEdit(traits, context, TRAITS);
  addValues(traits, context);
  addDelete(traits, context, { ...TRAITS, one: "a computed trait; nothing is sent" });
}

interface CreateOptions extends JsonOption {
  readonly definition: string;
}

function addCreate(traits: Command, context: CommandContext): void {
  addShownLeaf(traits, "create", {
    description: "make a computed trait",
    examples: ["traits create --name 'Order count' --definition order-count.json"],
  })
    .requiredOption("--name <name>", "for people")
    .requiredOption("--definition <path>", "JSON file as docs/use/audiences.md has it; - is standard input")
    .option("--key <key>", "name of the trait; from the name when it is not given")
    .action(async ({ json, definition, ...fields }: CreateOptions) => {
      const body = { ...fields, definition: await readJson(context, definition) };
      await askAndShow(context, { json }, (api) => api.ask(TRAITS.path, { body }));
    });
}

interface ValuesOptions extends JsonOption, CsvOptions {
  readonly limit: number;
  readonly user?: string;
  readonly account?: string;
}

function addValues(traits: Command, context: CommandContext): void {
  const values = addShownLeaf(traits, "values <id>", {
    description: "list the values of users, or show that of one; --csv gives all of them",
    examples: [
      "traits values trt_1 --limit 500",
      "traits values trt_1 --user u1",
      "traits values trt_1 --csv > values.csv",
    ],
  })
    .option("--limit <count>", "at most so many", positiveInteger, 50)
    .option("--user <userId>", "the value of this user alone")
    .option("--account <groupId>", "of a trait of accounts: the value of this account alone");
  addCsvOptions(values, "all values as userId,value,since; of accounts groupId,value,since").action(
    async (id: string, { account, limit, json, user, ...csv }: ValuesOptions) => {
      if (csv.csv === true) return await writeCsv(context, pathOf(TRAITS.path, id, "/values.csv"), csv);
      const path = pathOf(TRAITS.path, id, "/values");
      if (user !== undefined || account !== undefined) {
        const query = { ...(user !== undefined && { userId: user }), ...(account && { groupId: account }) };
        await askAndShow(context, { json }, (one) => one.ask(path, { query }));
        return;
      }
      const listing = await controlApi(context.environment).list(path, {}, limit);
      const isOfAccounts = listing.data.some(({ groupId }) => typeof groupId === "string");
      const columns = {
        ...(isOfAccounts ? { "group id": "groupId" } : { "user id": "userId" }),
        value: "value",
        since: "since",
      };
      if (json === true) printJson(context, listing);
      else printTable(context, columns, listing);
    },
  );
}
