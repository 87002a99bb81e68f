import type { CallType } from "./messages.ts";

/** Why an accepted message was not delivered. */
export type FailureReason =
  /** The endpoint's last answer was no success. `code` and `message` are Hookline's, where it gave any. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly code?: string | undefined;
      readonly message?: string | undefined;
    }
  /** Hookline refused this message of a batch and took others. */
  | { readonly kind: "rejected"; readonly code: string; readonly message: string }
  /** The last request found no endpoint, or had no answer in time. */
  | { readonly kind: "network"; readonly cause: unknown }
  /** A beacon of an earlier page took it, and it is likely to have arrived, so long ago that Hookline would deliver another copy, too. */
  | { readonly kind: "copied" }
  /** The time that `close` had was over. */
  | { readonly kind: "closed" };

/** An accepted message that was not delivered. To send it again: `client[type](JSON.parse(json))`, which keeps its id. */
export interface Failure {
  readonly type: CallType;
  readonly messageId: string;
  /** The message as it was queued. */
  readonly json: string;
  readonly reason: FailureReason;
}

/** The reason, for a log. */
export function describeReason(reason: FailureReason): string {
  switch (reason.kind) {
    case "status": {
      const detail = [reason.code, reason.message].filter((text) => text !== undefined).join(": ");
      return `the endpoint answered ${reason.status}${detail === "" ? "" : ` (${detail})`}`;
    }
    case "rejected":
      return `refused: ${reason.code} (${reason.message})`;
    case "network":
      return `no answer: ${String(reason.cause)}`;
    case "copied":
      return "a beacon took a copy more than 24 hours ago";
    case "closed":
      return "closed before it was delivered";
  }
}
