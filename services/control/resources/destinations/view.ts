import { isIP } from "node:net";
import type { AddressPolicy } from "#egress";
import type { DestinationConfig, Webhook } from "#topics";
import type { FieldProblem } from "../../http/problem.ts";
import { shownUrl } from "../../http/shown-url.ts";
import { webhookId } from "../../http/webhook-fields.ts";
import { destinationView } from "./destination.ts";
import { breakerView } from "./health/breaker-view.ts";
import { healthView } from "./health/view.ts";
import type { DestinationParts } from "./parts.ts";
import { retryView } from "./retry-view.ts";

/** A destination as answers show it, with its health. */
export function destinationViewOf(
  destination: DestinationConfig,
  {
    addressPolicy,
    breakers,
    health,
    nowMs,
    retryRequests,
  }: Pick<DestinationParts, "addressPolicy" | "breakers" | "health" | "nowMs" | "retryRequests">,
) {
  const breakerOf = (url: string) => breakers.of(url, nowMs());
  const { webhooks, ...shown } = destinationView(destination, nowMs());
  const warnings = destinationWarnings(destination.webhooks, addressPolicy);
  return {
    ...shown,
    webhooks: webhooks.map(({ headers, url }) => ({
      id: webhookId(destination.id, url),
      url,
      maskedUrl: shownUrl(url),
      headers,
      breaker: breakerView(breakerOf(url)),
    })),
    retry: retryView(retryRequests.of(destination.id)),
    health: healthView(destination, health.of(destination.id), breakerOf),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** What is allowed and will fail: a URL with an address to which no request goes (contract 6.1). What a name leads to shows at each request. */
export function destinationWarnings(
  webhooks: readonly Pick<Webhook, "url">[],
  policy: AddressPolicy,
): FieldProblem[] {
  return webhooks.flatMap(({ url }, index) => {
    const address = new URL(url).hostname.replace(/^\[|\]$/g, "");
    const refusal = isIP(address) === 0 ? undefined : policy(address);
    if (refusal === undefined) return [];
    return { path: `webhooks[${index}].url`, message: `gets no call: its address is ${refusal}` };
  });
}
