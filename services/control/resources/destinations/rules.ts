// What a destination's schema cannot say: rules of URLs and headers (contract 2.8, 4.2), masked values, sources that exist.
import { isJsonObject, webhookProblems } from "#contract";
import { MASK } from "#secrets";
import type { Webhook } from "#topics";
import { labelProblems } from "../../http/labels.ts";
import type { FieldProblem } from "../../http/problem.ts";
import { type OptionRules, optionProblems } from "./options/rules.ts";
import { storedHeader, type WebhookInput } from "./secrets.ts";
import { type SourceCostRules, sourceCostProblems } from "./source-costs.ts";

/** Of a list that is too long for its schema anyway, no more is looked at. */
const MOST_LOOKED_AT = 1_000;

export interface RulesContext extends OptionRules, SourceCostRules {
  isSource(id: string): boolean;
}

/** `body` may have any shape: what its schema refuses is passed over here, so that all problems are named together. */
export function destinationProblems(body: unknown, context: RulesContext): FieldProblem[] {
  const given = isJsonObject(body) ? body : {};
  const { sourceIds, webhooks } = given;
  const stored = context.before?.webhooks ?? [];
  const options = optionProblems(given, context);
  return [
    ...(Array.isArray(sourceIds) ? sourceProblems(sourceIds.slice(0, MOST_LOOKED_AT), context) : []),
    ...(Array.isArray(webhooks) ? webhookFieldProblems(webhooks.slice(0, MOST_LOOKED_AT), stored) : []),
    ...labelProblems(given, context.before?.labels),
    ...options,
    // What a filter costs is asked of one that can be read.
    ...(options.length > 0 ? [] : sourceCostProblems(given, context)),
  ];
}

function sourceProblems(sourceIds: readonly unknown[], { isSource }: RulesContext): FieldProblem[] {
  return sourceIds.flatMap((id, index) => {
    if (typeof id !== "string" || isSource(id)) return [];
    return { path: `sourceIds[${index}]`, message: "is not the id of a source" };
  });
}

function webhookFieldProblems(webhooks: readonly unknown[], stored: readonly Webhook[]): FieldProblem[] {
  const readable = webhooks.map(readableWebhook);
  return [
    ...webhookProblems(readable),
    ...readable.flatMap((webhook, index) => maskProblems(webhook, index, stored)),
  ];
}

/** The parts of a webhook that have the right type; a URL that has not is replaced by one that no rule refuses. */
function readableWebhook(webhook: unknown, index: number): WebhookInput {
  const { url, headers } = isJsonObject(webhook) ? webhook : {};
  const entries = Object.entries(isJsonObject(headers) ? headers : {});
  const strings = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return {
    url: typeof url === "string" ? url : `https://unreadable-${index}.invalid/`,
    headers: Object.fromEntries(strings),
  };
}

function maskProblems(
  { url, headers = {} }: WebhookInput,
  index: number,
  stored: readonly Webhook[],
): FieldProblem[] {
  const masked = Object.keys(headers).filter((name) => headers[name] === MASK);
  return masked
    .filter((name) => storedHeader(stored, url, name) === undefined)
    .map((name) => ({
      path: `webhooks[${index}].headers.${name}`,
      message: `is the mask ${MASK}, which stands for a stored value, but none is stored for this header of this URL: give the value`,
    }));
}
