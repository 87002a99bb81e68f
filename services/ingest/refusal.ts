import type { CallWarning, Rejection } from "#contract";

/** Why a request is refused for now; also a metric label. */
export const BUSY_REASONS = ["starting", "kafka", "waiting_bytes", "unacknowledged", "event_loop"] as const;

export type BusyReason = (typeof BUSY_REASONS)[number];

/** One refused call of a batch (contract 7.4). */
export interface IndexedRejection extends Rejection {
  readonly index: number;
}

/** A warning about an accepted call of a batch, or about the one call of a request. */
export interface IndexedWarning extends CallWarning {
  readonly index: number;
}

/** Every answer other than success: 400 for good, 429 and 503 for now (contract 7.3). */
export type Refusal =
  | {
      readonly kind: "invalid";
      readonly rejection: Rejection;
      /** Each refused call of a batch; absent when the request as a whole is at fault. */
      readonly rejected?: readonly IndexedRejection[] | undefined;
    }
  | { readonly kind: "rate_limited"; readonly retryAfterMs: number }
  | { readonly kind: "busy"; readonly reason: BusyReason; readonly retryAfterMs: number };

export const invalid = (code: Rejection["code"], message: string): Refusal => ({
  kind: "invalid",
  rejection: { code, message },
});
