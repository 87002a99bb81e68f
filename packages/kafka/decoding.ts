import { isWorthLogging } from "./backoff.ts";
import type { KafkaLogger, RawRecord } from "./types.ts";

/** Delays before a record that could not be decoded is tried again. */
export const DECODE_AGAIN_MS = { first: 100, max: 5_000 };

/**
 * True for an error that says the bytes themselves are bad, as the serde's errors do by `canRetry: false`. Told by its shape,
 * because errors may come from another realm; any other decode error means that the schema could not be had yet: wait, try again.
 */
export function isPoison(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    (error as { readonly canRetry?: unknown }).canRetry === false
  );
}

/** A record whose schema cannot be had yet holds its partition back; said the 1st, 2nd, 4th … time. */
export function reportUndecoded(
  { topic, partition, offset }: RawRecord,
  {
    error,
    failures,
    logger,
  }: { readonly error: Error; readonly failures: number; readonly logger: KafkaLogger },
): void {
  if (!isWorthLogging(failures)) return;
  const facts = { topic, partition, offset, failures, error: error.message };
  logger.warn(facts, "a record cannot be decoded yet; its partition waits");
}

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
