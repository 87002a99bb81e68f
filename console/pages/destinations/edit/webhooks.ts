// A destination's webhooks as the form has them, and as they are sent.

import type { Schemas } from "../../../api/client.ts";
import type { FieldError } from "../../../api/problem.ts";
import { pairsText } from "../../../elements/pairs.ts";
import { type Changes, type Patch, pairsIn } from "./options.ts";

export interface WebhookText {
  /** Of the form alone. */
  readonly key: number;
  readonly url: string;
  /** name: value, one a line. */
  readonly headers: string;
}

export const MOST_WEBHOOKS = 5;

type Known = Pick<Schemas["Destination"], "webhooks">;

export function webhookTexts({ webhooks }: Known): readonly WebhookText[] {
  return webhooks.map(({ url, headers }, key) => ({
    key,
    url,
    headers: pairsText(headers),
  }));
}

const textOf = (webhooks: readonly WebhookText[]): string =>
  JSON.stringify(webhooks.map(({ headers, url }) => [url, headers]));

/** All of them where one was changed: a list is replaced as a whole. */
export function webhooksPatch(before: Known, texts: readonly WebhookText[]): Changes {
  if (textOf(texts) === textOf(webhookTexts(before))) return { patch: {}, problems: [] };
  const webhooks: NonNullable<Patch["webhooks"]> = [];
  const problems: FieldError[] = [];
  for (const [place, { headers, url }] of texts.entries())
    try {
      webhooks.push({ url: url.trim(), headers: pairsIn(headers) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      problems.push({ path: `webhooks[${place}].headers`, message });
    }
  return { patch: problems.length > 0 ? {} : { webhooks }, problems };
}
