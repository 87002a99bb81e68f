import { MAX_BATCH_BYTES, MAX_CALL_BYTES, type Rejection } from "#contract";
import type { TrackingRoute } from "./judge-calls.ts";

/** Largest body of a route, decompressed (contract 7.5). */
export function bodyLimitBytes(route: TrackingRoute): number {
  return route.kind === "batch" ? MAX_BATCH_BYTES : MAX_CALL_BYTES;
}

export function sizeRejection(limitBytes: number): Rejection {
  const message = `the body has more than ${limitBytes} bytes, the most that is allowed here`;
  return { code: "message_too_large", message };
}
