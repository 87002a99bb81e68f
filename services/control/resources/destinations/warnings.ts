import { isIP } from "node:net";
import type { AddressPolicy } from "#egress";
import type { Webhook } from "#topics";
import type { FieldProblem } from "../../http/problem.ts";

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
