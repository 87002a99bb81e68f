import type { SessionOptions } from "../session.ts";

/** Chosen so that a killed member's partitions move within 8 s: the session's end, and a rebalance that nobody delays for long. */
const DEFAULTS = { sessionTimeoutMs: 6_000, rebalanceTimeoutMs: 10_000 };

/** Heartbeat for a hand-over within 8 s: the others learn that a member is gone with their next heartbeat. */
const QUICK_HEARTBEAT_MS = 500;

/** Heartbeats a session for members that may learn it later, or that read nothing. Two may be lost before a member is missed. */
const HEARTBEATS_PER_SESSION = 3;

/** The options of a runner that set session times. */
interface Asked {
  readonly sessionTimeoutMs?: number | undefined;
  readonly rebalanceTimeoutMs?: number | undefined;
  readonly handsOverQuickly?: boolean | undefined;
}

/** When a member is missed, how often it says that it is there, and how long a rebalance waits for it. */
export function sessionTimes({
  sessionTimeoutMs = DEFAULTS.sessionTimeoutMs,
  rebalanceTimeoutMs = DEFAULTS.rebalanceTimeoutMs,
  handsOverQuickly = false,
}: Asked): Pick<
  SessionOptions,
  "sessionTimeoutMs" | "rebalanceTimeoutMs" | "heartbeatMs" | "quietHeartbeatMs"
> {
  const quietHeartbeatMs = sessionTimeoutMs / HEARTBEATS_PER_SESSION;
  const heartbeatMs = handsOverQuickly ? QUICK_HEARTBEAT_MS : quietHeartbeatMs;
  return { sessionTimeoutMs, rebalanceTimeoutMs, heartbeatMs, quietHeartbeatMs };
}
