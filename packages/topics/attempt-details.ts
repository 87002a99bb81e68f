import type { DeliveryAttempt } from "./records.generated.ts";

/** What a record of an attempt says of the response, beside its status, and of the connection. */
export type AttemptDetails = Pick<
  DeliveryAttempt,
  "responseBody" | "responseHeaders" | "address" | "dnsMs" | "connectMs" | "tlsMs" | "waitMs"
>;

/** Nothing is known: no request was made. */
export const NO_DETAILS: AttemptDetails = {
  responseBody: null,
  responseHeaders: {},
  address: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  waitMs: null,
};
