import type { Host } from "#host";
import type { WakePace } from "./pace.ts";

/** Room comes with a job's end, of which `freed` tells; this is for the jobs of others at the same endpoint. */
const LOOK_AGAIN_MS = 20;

/** Lets a pass wait until an endpoint takes another of its jobs. */
export interface Room {
  /** True: it takes one now. False: it takes none for the time being, its breaker is open again, or the pass ends. */
  wait(endpoint: string, signal: AbortSignal): Promise<boolean>;
  /** It takes one of its jobs now, which is counted. */
  takesNow(endpoint: string): boolean;
  /** The destination's own limits let one of its jobs through soon. */
  hasTurn(destinationId: string): boolean;
  /** The endpoint lets something through. */
  isOpen(endpoint: string): boolean;
  /** A job of the endpoint has ended. */
  freed(endpoint: string): void;
}

/** The queues' view of an endpoint. */
interface QueueRoom {
  /**
   * The number of further retries that the endpoint takes right now without a divert; undefined while its
   * breaker lets nothing through.
   */
  room(endpoint: string): number | undefined;
}

export interface RoomOptions {
  readonly queues: QueueRoom;
  readonly limits: { hasTurn(destinationId: string, nowMs: number): boolean };
  readonly pace: WakePace;
  readonly host: Pick<Host, "elapsed" | "setTimeout">;
}

export function createRoom({ queues, limits, pace, host }: RoomOptions): Room {
  const waiting = new Map<string, Set<() => void>>();

  async function nextChance(endpoint: string): Promise<void> {
    const chance = Promise.withResolvers<void>();
    const waiters = waiting.get(endpoint) ?? new Set();
    waiting.set(endpoint, waiters.add(chance.resolve));
    const timer = host.setTimeout(chance.resolve, LOOK_AGAIN_MS);
    await chance.promise;
    timer.clear();
    waiters.delete(chance.resolve);
    if (waiters.size === 0) waiting.delete(endpoint);
  }

  const takesNow = (room: number | undefined): boolean => room !== undefined && room > 0 && pace.take();

  return {
    async wait(endpoint, signal) {
      for (;;) {
        const room = queues.room(endpoint);
        if (room === undefined || signal.aborted) return false;
        if (takesNow(room)) return true;
        await nextChance(endpoint);
      }
    },
    hasTurn: (destinationId) => limits.hasTurn(destinationId, host.elapsed()),
    takesNow: (endpoint) => takesNow(queues.room(endpoint)),
    isOpen: (endpoint) => queues.room(endpoint) !== undefined,
    freed(endpoint) {
      for (const resolve of waiting.get(endpoint) ?? []) resolve();
    },
  };
}
