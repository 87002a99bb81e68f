import type { Command } from "commander";
import type { JsonObject } from "#contract";
import type { CommandContext } from "./context.ts";
import { addShownLeaf, askAndShow, type JsonOption, pathOf } from "./leaf.ts";
import { printTable } from "./output.ts";

/** `audiences overlap <id> <otherId>`. */
export function addOverlap(audiences: Command, context: CommandContext): void {
  addShownLeaf(audiences, "overlap <id> <otherId>", {
    description: "how many are in two audiences or lists, and in both",
    examples: ["audiences overlap aud_1 aud_2"],
  }).action(async (id: string, otherId: string, { json }: JsonOption) => {
    const path = pathOf("/v1/audiences", id, "/overlap");
    await askAndShow(context, { json }, (api) => api.ask(path, { query: { with: otherId } }), printOverlap);
  });
}

function printOverlap(context: CommandContext, answer: JsonObject): void {
  const { audience, with: other, both, exact, profiles, profilesLookedAt } = answer;
  const data = [audience as JsonObject, other as JsonObject, { id: "both", ...(both as JsonObject) }];
  const columns = { audience: "id", key: "key", members: "count" };
  const estimated = { ...columns, "give or take": "error" };
  printTable(context, exact === true ? columns : estimated, { data, next: null });
  if (exact !== true) context.say(`Estimates: ${profilesLookedAt} of ${profiles} profiles were looked at.`);
}
