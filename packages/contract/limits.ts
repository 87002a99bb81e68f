// The contract's numbers, each named once.
import { UNITS_MS } from "./duration-text.ts";

/** Largest single call, decompressed (contract 7.5, 9.4). */
export const MAX_CALL_BYTES = 32_768;

/** Largest batch request, decompressed (contract 7.5, 9.4). */
export const MAX_BATCH_BYTES = 512_000;

/** Most calls in one batch (contract 7.5). */
export const MAX_BATCH_CALLS = 2_500;

/** The longest messageId, in characters (contract 1.7). */
export const MAX_MESSAGE_ID_CHARACTERS = 100;

/**
 * The depth to which a delivered call may nest; the call itself is level 1. 64 is the lowest default among
 * the JSON parsers that receivers use (.NET's), and far below what would exhaust the stack of JSON.stringify.
 */
export const MAX_CALL_DEPTH = 64;

/** Most webhooks of one destination (contract 3.1). */
export const MAX_WEBHOOKS = 5;

/** Time from the start of a request to its status line and headers (contract 2.5). */
export const RESPONSE_DEADLINE_MS = 5_000;

/** The time for which a call is retried, from the start of its first attempt (contract 3.5). */
export const WINDOW_MS = 4 * UNITS_MS.h;

/**
 * The longest window that a destination may ask for. Jobs are kept for longer (packages/topics/retention.ts).
 */
export const MAX_WINDOW_MS = 24 * UNITS_MS.h;

/** Most delays that a destination may name. */
export const MAX_RETRY_DELAYS = 20;

/** Delays after the first, second, … failed attempt; the last one repeats (contract 3.5). */
export const RETRY_DELAYS_MS: readonly number[] = [10_000, 60_000, 300_000, 900_000, 1_800_000];

/** An endpoint can put its next attempt off by at most this much with Retry-After; more would eat up the window. */
export const MAX_RETRY_AFTER_MS = UNITS_MS.h;
