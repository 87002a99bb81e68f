// How answers and events name the webhook that something was asked of.
import { createHash } from "node:crypto";
import { Type } from "typebox";
import { SHOWN_URL, shownUrl } from "./shown-url.ts";

/** 48 bits: no two webhooks of a deployment of a hundred thousand are likely to meet. */
const HASH_CHARACTERS = 12;

/**
 * The id of a destination's webhook: `whk_` and 12 hex digits of a hash of destination and URL. It is the same whatever happens to the
 * others, and wherever the webhook is named, also by what was recorded before it was changed or removed. A webhook with another URL is
 * another webhook, as it is for outcomes, health, breakers and stored header values (decision 26).
 */
export function webhookId(destinationId: string, url: string): string {
  const named = JSON.stringify([destinationId, url]);
  return `whk_${createHash("sha256").update(named).digest("hex").slice(0, HASH_CHARACTERS)}`;
}

export const WEBHOOK_FIELDS = {
  webhookId: Type.String({ description: "The webhook's id, as the destination shows it." }),
  url: Type.String({ description: SHOWN_URL }),
};

export function webhookFields(destinationId: string, url: string) {
  return { webhookId: webhookId(destinationId, url), url: shownUrl(url) };
}
