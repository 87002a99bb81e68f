// Why a call goes to a retry topic without a request (decision 10).
import { type Reasons, reasonsOf } from "./reason.ts";

export type DivertReason =
  | "breaker_open"
  | "crowded"
  | "queue_slow"
  | "stalled"
  | "retry_share"
  | "paused"
  | "rate_limited"
  | "handed_over";

export const DIVERTS: Reasons<DivertReason> = {
  breaker_open: {
    meaning: "the endpoint has failed so often that only probes go to it",
    action: "mend the endpoint; its waiting calls go out when a probe succeeds",
  },
  crowded: {
    meaning: "the endpoint held more than its share of a deliverer that was more than half full",
    action: "add deliverers, or make the endpoint faster",
  },
  queue_slow: {
    meaning: "the call waited two seconds for a place at its endpoint, or was going to",
    action: "make the endpoint faster, or let it take more requests at a time",
  },
  stalled: {
    meaning: "all places of the endpoint were taken, and nothing was answered for a second",
    action: "find out why the endpoint hangs",
  },
  retry_share: {
    meaning: "retries had as many of the endpoint's places as they may while new calls wait",
    action: "nothing: they come when the endpoint has room",
  },
  paused: {
    meaning: "the endpoint has asked for a pause with Retry-After",
    action: "nothing, unless the pauses are longer than they need to be",
  },
  rate_limited: {
    meaning: "the destination's own limit of requests is used up",
    action: "raise its maxRequestsPerSecond or maxInFlight, if the endpoint can take more",
  },
  handed_over: {
    meaning:
      "another webhook took the call, and the call's partition went to another deliverer before this one's turn came",
    action: "nothing: it is asked soon",
  },
};

export const DIVERT_REASONS = reasonsOf(DIVERTS);
