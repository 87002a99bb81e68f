import type { Command } from "commander";
import type { JsonObject } from "#contract";
import { type CommandContext, readJson } from "./context.ts";
import { addShownLeaf, askAndShow, type JsonOption } from "./leaf.ts";
import { printTable } from "./output.ts";

interface PreviewOptions extends JsonOption {
  readonly definition: string;
  readonly includeAnonymous?: boolean;
}

interface TraitPreview extends Omit<Preview, "sample"> {
  readonly sample: readonly JsonObject[];
}

interface Condition {
  readonly path: string;
  readonly holds: boolean;
  readonly value: unknown;
}

/** What is read of the answer. */
interface Preview {
  readonly estimatedCount: number;
  readonly exact: boolean;
  readonly countError: number | null;
  readonly profiles: number;
  readonly profilesLookedAt: number;
  readonly sample: readonly (JsonObject & { readonly why: readonly Condition[] })[];
  readonly unknownCalls: readonly string[];
  /** Of an audience. */
  readonly unknownAudiences?: readonly string[];
}

/** `audiences preview`: nothing is made. */
export function addPreview(audiences: Command, context: CommandContext): void {
  addShownLeaf(audiences, "preview", {
    description: "how many users an audience would have, and why some of them; nothing is made",
    examples: [
      "audiences preview --definition buyers.json",
      `echo '{"event": "Order Completed", "within": "30d"}' | hookline audiences preview --definition -`,
    ],
  })
    .requiredOption("--definition <path>", "JSON file as docs/use/audiences.md has it; - is standard input")
    .option("--include-anonymous", "profiles without a userId may be members too")
    .action(async ({ json, definition, includeAnonymous }: PreviewOptions) => {
      const body = {
        definition: await readJson(context, definition),
        ...(includeAnonymous === true && { includeAnonymous }),
      };
      await askAndShow(context, { json }, (api) => api.ask("/v1/audiences/preview", { body }), printPreview);
    });
}

/** `traits preview`: nothing is made. */
export function addTraitPreview(traits: Command, context: CommandContext): void {
  addShownLeaf(traits, "preview", {
    description: "how many users would have a value, and of what some are made; nothing is made",
    examples: ["traits preview --definition order-count.json"],
  })
    .requiredOption("--definition <path>", "JSON file as docs/use/audiences.md has it; - is standard input")
    .action(async ({ json, definition }: PreviewOptions) => {
      const body = { definition: await readJson(context, definition) };
      const path = "/v1/computed-traits/preview";
      await askAndShow(context, { json }, (api) => api.ask(path, { body }), printTraitPreview);
    });
}

const TRAIT_COLUMNS = {
  "user id": "userId",
  "group id": "groupId",
  value: "value",
  calls: "calls",
  first: "firstAt",
  last: "lastAt",
};

function printTraitPreview(context: CommandContext, preview: TraitPreview): void {
  context.print(countLine(preview, "have a value"));
  sayUnknown(context, preview);
  if (preview.sample.length > 0) printTable(context, TRAIT_COLUMNS, { data: preview.sample, next: null });
}

function sayUnknown(
  context: CommandContext,
  { unknownAudiences = [], unknownCalls }: Pick<Preview, "unknownAudiences" | "unknownCalls">,
): void {
  if (unknownCalls.length > 0)
    context.say(`Not known from profiles, and counted as not made: ${unknownCalls.join(", ")}`);
  if (unknownAudiences.length > 0)
    context.say(`Not every member is known, and others count as none: ${unknownAudiences.join(", ")}`);
}

function printPreview(context: CommandContext, preview: Preview): void {
  const { sample } = preview;
  context.print(countLine(preview, "be members"));
  sayUnknown(context, preview);
  if (sample.length === 0) return;
  const isOfAccounts = sample.some(({ groupId = null }) => groupId !== null);
  const owner = isOfAccounts
    ? { "group id": "groupId" }
    : { "user id": "userId", "anonymous id": "anonymousId" };
  const columns = { ...owner, why: "why" };
  const data = sample.map(({ why, ...member }) => ({ ...member, why: why.map(conditionText).join("; ") }));
  printTable(context, columns, { data, next: null });
}

function countLine(
  { countError, estimatedCount, exact, profiles, profilesLookedAt }: Omit<Preview, "sample">,
  what: string,
): string {
  const members = `${estimatedCount} of ${profiles} profiles would ${what}`;
  if (exact) return `${members}.`;
  const error = countError === null ? "" : `, give or take ${countError}`;
  return `About ${members}${error}: ${profilesLookedAt} were looked at.`;
}

/** `all[0]: 2`; where a condition does not hold, and that is why, `all[1].not: not 1`. */
function conditionText({ holds, path, value }: Condition): string {
  const place = path.replace(/^definition\.?/, "") || "it";
  return `${place}: ${holds ? "" : "not "}${JSON.stringify(value)}`;
}
