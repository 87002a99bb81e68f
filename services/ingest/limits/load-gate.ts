// Says no before a body is read when a request could not be served in time (contract 7.3): a fast 503 costs little
// and tells SDKs to come back, while a slow 200 makes them send everything twice.

import type { BusyReason, Refusal } from "../refusal.ts";
import { Reservation, type Room } from "./reservation.ts";

export interface LoadLimits {
  /** Bodies being read or waiting for their acknowledgement, and answers that are not read yet. */
  readonly maxWaitingBytes: number;
  /** Age of the oldest record that Kafka has not acknowledged, where it has acknowledged none that came since. */
  readonly maxUnacknowledgedMs: number;
  /** Share of the event loop's time, 0 to 1, above which it counts as overloaded when it also lags. */
  readonly maxEventLoopUtilisation: number;
}

/** The recent load of the event loop. */
export interface EventLoopLoad {
  readonly utilisation: number;
  readonly lagMs: number;
}

export interface LoadSources {
  /** The age of the oldest record that Kafka has not acknowledged. */
  unacknowledgedMs(): number | undefined;
  /** The time since a request came whose calls are stored: a partition that takes nothing for now does not stop the others. */
  sinceStoredMs(): number;
  /** The time since the last request came whose calls shall be stored. */
  sinceTriedMs(): number;
  eventLoop(): EventLoopLoad;
  /** Why nothing can be taken at all at this time, or undefined. */
  unavailable(): "starting" | "kafka" | undefined;
}

export interface LoadGate {
  /** Why the next request is refused, or undefined. */
  refusal(): (Refusal & { kind: "busy" }) | undefined;
  reserve(): Reservation;
  readonly waitingBytes: number;
}

/**
 * The length of turns from which on the event loop is behind. A healthy event loop at full throttle is busy
 * all the time, too.
 */
const LAG_MS = 200;

/**
 * Kafka is tried so often while it acknowledges nothing: where few calls come, what waits may be one call, of a partition that
 * takes nothing, and the others take all.
 */
const TRY_EVERY_MS = 1_000;

const RETRY_AFTER_MS: Readonly<Record<BusyReason, number>> = {
  starting: 5_000,
  waiting_bytes: 1_000,
  unacknowledged: 2_000,
  event_loop: 2_000,
  kafka: 5_000,
};

export const busy = (reason: BusyReason): Refusal & { kind: "busy" } => ({
  kind: "busy",
  reason,
  retryAfterMs: RETRY_AFTER_MS[reason],
});

/** The part of the room that one source may hold: the others keep theirs while its calls wait. */
const SHARE_OF_A_SOURCE = 0.5;

export function createLoadGate(limits: LoadLimits, load: LoadSources): LoadGate {
  const room: Room = {
    maxBytes: limits.maxWaitingBytes,
    maxBytesOfSource: limits.maxWaitingBytes * SHARE_OF_A_SOURCE,
    heldBytes: 0,
    ofSource: new Map(),
  };

  function reason(): BusyReason | undefined {
    const unavailable = load.unavailable();
    if (unavailable !== undefined) return unavailable;
    if (room.heldBytes >= room.maxBytes) return "waiting_bytes";
    const sinceAnsweredMs = Math.min(load.unacknowledgedMs() ?? 0, load.sinceStoredMs());
    if (sinceAnsweredMs > limits.maxUnacknowledgedMs && load.sinceTriedMs() < TRY_EVERY_MS)
      return "unacknowledged";
    const { utilisation, lagMs } = load.eventLoop();
    return utilisation > limits.maxEventLoopUtilisation && lagMs > LAG_MS ? "event_loop" : undefined;
  }

  return {
    refusal() {
      const because = reason();
      return because === undefined ? undefined : busy(because);
    },
    reserve: () => new Reservation(room),
    get waitingBytes() {
      return room.heldBytes;
    },
  };
}
