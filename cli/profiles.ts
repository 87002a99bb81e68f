// Who is this: one user, as a page.
import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { addShownLeaf, askAndShow, type JsonOption, pathOf } from "./leaf.ts";
import { coloured, printTable } from "./output.ts";
import { type ProfileAnswer, profileReport } from "./profile-report.ts";
import { printable } from "./terminal-text.ts";

export function addProfileCommands(program: Command, context: CommandContext): void {
  const profiles = program.command("profiles").description("what is known of single users and accounts");
  addShownLeaf(profiles, "show <id>", {
    description:
      "who is this: traits, audiences and since when, events, the ids that lead to them, and the last calls; the id is a userId, or anon: and an anonymousId, or group: and the groupId of an account",
    examples: ["profiles show u1", "profiles show anon:5f1c --json"],
  }).action(async (id: string, options: JsonOption) => {
    await askAndShow(context, options, (api) => api.ask(pathOf("/v1/profiles", id)), printProfile);
  });
}

function printProfile(context: CommandContext, answer: ProfileAnswer): void {
  const { heading, notes, tables } = profileReport(answer);
  context.print(coloured(context, "bold", printable(heading)));
  for (const { columns, data, title } of tables) {
    context.print("");
    context.print(title);
    if (data.length === 0) context.print("none");
    else printTable(context, columns, { data, next: null });
  }
  for (const note of notes) context.say(note);
}
