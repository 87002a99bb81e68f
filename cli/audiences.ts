import type { Command } from "commander";
import { subjectIn } from "#audiences";
import type { JsonObject } from "#contract";
import { addOverlap } from "./audience-overlap.ts";
import { addPreview } from "./audience-preview.ts";
import { addSendingOptions, type SendingOptions, sendingOf } from "./audience-sending.ts";
import { addSizes } from "./audience-sizes.ts";
import { type CommandContext, readJson } from "./context.ts";
import { controlApi } from "./control-api.ts";
import { addCsvOptions, type CsvOptions, writeCsv } from "./csv.ts";
import { addEdit } from "./edit.ts";
import {
  addLeaf,
  addList,
  addShow,
  addShownLeaf,
  askAndShow,
  type JsonOption,
  pathOf,
  positiveInteger,
} from "./leaf.ts";
import { printFields, printJson, printTable } from "./output.ts";

const AUDIENCES = {
  name: "audiences",
  one: "an audience and how far it is",
  path: "/v1/audiences",
  id: "aud_1",
};

export function addAudienceCommands(program: Command, context: CommandContext): void {
  const audiences = program.command("audiences").description("who is in which audience, and why");
  addList(audiences, context, {
    description: "list the audiences, oldest first",
    examples: ["audiences list", "audiences list --status preparing"],
    path: AUDIENCES.path,
    columns: { id: "id", key: "key", name: "name", status: "status", members: "members" },
    filters: {
      "--status <status>": "preparing, live or paused",
      "--key <key>": "the one with this key",
      "--kind <kind>": "audience or list",
    },
  });
  addShow(audiences, context, AUDIENCES);
  addPreview(audiences, context);
  addCreate(audiences, context);
  addSendingOptions(addEdit(audiences, context, AUDIENCES));
  addMembers(audiences, context);
  addWhy(audiences, context);
  addOverlap(audiences, context);
  addSizes(audiences, context);
  addDelete(audiences, context);
}

interface CreateOptions extends JsonOption, SendingOptions {
  readonly definition?: string;
}

function addCreate(audiences: Command, context: CommandContext): void {
  const create = addShownLeaf(audiences, "create", {
    description: "make an audience, or with --kind list one whose members are imported",
    examples: [
      "audiences create --name Buyers --definition buyers.json",
      "audiences create --name VIPs --kind list",
      "audiences create --name Buyers --definition buyers.json --track-calls --send-trait email",
    ],
  })
    .requiredOption("--name <name>", "for people")
    .option("--kind <kind>", "audience (the default with --definition) or list")
    .option("--key <key>", "name of the trait; from the name when it is not given")
    .option("--definition <path>", "JSON file as docs/use/audiences.md has it; - is standard input")
    .option("--include-anonymous", "profiles without a userId may be members too");
  addSendingOptions(create).action(
    async ({ json, definition, sendTrait, trackCalls, ...fields }: CreateOptions) => {
      const defined = definition === undefined ? {} : { definition: await readJson(context, definition) };
      const body = { ...fields, ...defined, ...sendingOf({ sendTrait, trackCalls }) };
      await askAndShow(context, { json }, (api) => api.ask(AUDIENCES.path, { body }));
    },
  );
}

function addMembers(audiences: Command, context: CommandContext): void {
  const members = addShownLeaf(audiences, "members <id>", {
    description: "list who is in an audience; --csv gives all of them",
    examples: [
      "audiences members aud_1 --limit 500",
      "audiences members aud_1 --csv > members.csv",
      "audiences members aud_1 --csv --cells exact > list.csv",
    ],
  }).option("--limit <count>", "at most so many", positiveInteger, 50);
  addCsvOptions(members, "all members as userId,anonymousId,since; of accounts groupId,since").action(
    async (id: string, { limit, json, ...csv }: JsonOption & CsvOptions & { limit: number }) => {
      if (csv.csv === true) return await writeCsv(context, pathOf(AUDIENCES.path, id, "/members.csv"), csv);
      const listing = await controlApi(context.environment).list(
        pathOf(AUDIENCES.path, id, "/members"),
        {},
        limit,
      );
      const isOfAccounts = listing.data.some(({ groupId }) => typeof groupId === "string");
      const ids = isOfAccounts
        ? { "group id": "groupId" }
        : { "user id": "userId", "anonymous id": "anonymousId" };
      const columns = { ...ids, since: "since" };
      if (json === true) printJson(context, listing);
      else printTable(context, columns, listing);
    },
  );
}

function addWhy(audiences: Command, context: CommandContext): void {
  addShownLeaf(audiences, "why <id> <memberId>", {
    description:
      "explain why a user is in an audience, or is not: condition by condition; of an audience of accounts the id is a groupId",
    examples: ["audiences why aud_1 u1"],
  }).action(async (id: string, memberId: string, { json }: JsonOption) => {
    const api = controlApi(context.environment);
    const { definition } = await api.ask(pathOf(AUDIENCES.path, id));
    const query = subjectIn(definition) === "accounts" ? { groupId: memberId } : { userId: memberId };
    const { leaves, ...facts } = await api.ask(pathOf(AUDIENCES.path, id, "/members"), { query });
    if (json === true) return printJson(context, { ...facts, leaves });
    printFields(context, facts);
    const columns = { condition: "path", holds: "holds", value: "value", until: "until" };
    printTable(context, columns, { data: leaves as JsonObject[], next: null });
  });
}

function addDelete(audiences: Command, context: CommandContext): void {
  addLeaf(audiences, "delete <id>", {
    description: "delete an audience; nothing asks whether you are sure",
    examples: ["audiences delete aud_1", "audiences delete aud_1 --exit-all"],
  })
    .option("--exit-all", "send false for every member first")
    .action(async (id: string, { exitAll }: { exitAll?: boolean }) => {
      const query = exitAll === true ? { exitAll: "true" } : {};
      await controlApi(context.environment).ask(pathOf(AUDIENCES.path, id), { method: "DELETE", query });
      context.say(exitAll === true ? `${id} is deleted once its members have left.` : `${id} is deleted.`);
    });
}
