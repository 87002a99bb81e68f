// A request that nobody starts: for tests of what decides about it.
import type { LaneRequest } from "./request.ts";

export function laneRequest(changes: Partial<LaneRequest> = {}): LaneRequest {
  return {
    endpoint: "a",
    isRetry: false,
    next: undefined,
    enteredAtMs: 0,
    gate: undefined,
    isWithdrawn: false,
    withdraw: () => undefined,
    start: () => undefined,
    divert: () => undefined,
    ...changes,
  };
}
