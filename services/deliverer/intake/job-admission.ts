// When a job that was read may be taken in hand. Pure but for the clock that is passed in.
import type { Received, Runner, TopicPartition } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { Destinations } from "../destinations.ts";
import { RetryShare } from "./retry-share.ts";

/** The delay after which a job that is held back in its topic is looked at again. */
const HELD_BACK_MS = 20;

/** Clocks of two machines may differ by so much. */
const SKEW_MS = 5_000;

export interface JobAdmissionOptions {
  readonly queues: {
    readonly hasEnough: boolean;
    readonly isFullOfRetries: boolean;
    readonly isBusy: boolean;
  };
  readonly destinations: Pick<Destinations, "awaitingJobs" | "isAwaited" | "state">;
  /** Jobs that may wait in the process to hear of their destinations. */
  readonly maxAwaiting: number;
  readonly waking: { isTaken(record: Received<DeliveryJob>): boolean };
  /** Delays by retry topic. */
  readonly delaysMs: ReadonlyMap<string, number>;
  readonly nowMs: () => number;
}

export interface JobAdmission {
  /** When the head of a partition may be taken in hand, Unix ms. */
  dueAtMs(record: Received<DeliveryJob>): number;
  /** When the first of the jobs that wait at the heads of the runner's partitions falls or fell due; 0 when none waits. */
  oldestDueAtMs(runner: Pick<Runner, "assigned" | "position">): number;
  /** The partitions were lost: others may have taken what waited at their heads. */
  revoked(partitions: readonly TopicPartition[]): void;
}

interface Head {
  readonly offset: number;
  readonly visibleAtMs: number;
}

/** A retry topic has one delay, so the head of a partition is the first of it to fall due; what is behind it waits with it. */
export function createJobAdmission(options: JobAdmissionOptions): JobAdmission {
  const { delaysMs, destinations, maxAwaiting, nowMs, queues, waking } = options;
  const share = new RetryShare();
  /** The heads that are held back, by topic and partition. */
  const heads = new Map<string, Map<number, Head>>();

  function hold({ topic, partition, offset }: Received<DeliveryJob>, visibleAtMs: number): void {
    const ofTopic = heads.get(topic) ?? new Map<number, Head>();
    heads.set(topic, ofTopic.set(partition, { offset, visibleAtMs }));
  }

  /** A waiting job can wait a little longer where new ones would have to; what an ill endpoint makes wait comes again and again. */
  function isBehind(isWaiting: boolean, now: number): boolean {
    if (!isWaiting) share.fresh(now);
    return isWaiting && (queues.isFullOfRetries || (queues.isBusy && !share.takeWaiting(now)));
  }

  /** While the configuration cannot be read to its end, what would wait for that stays in its topic once enough of it is here. */
  function isUnheardOf({ decoded: { destinationId } }: Received<DeliveryJob>): boolean {
    if (destinations.awaitingJobs < maxAwaiting) return false;
    const { kind } = destinations.state(destinationId);
    return destinations.isAwaited(destinationId) || (kind !== "active" && kind !== "paused");
  }

  /** Nothing waits longer than its topic's delay: what seems to was written by a clock that was ahead, and has set back since. */
  function comesOutAtMs({ topic, decoded: { visibleAtMs } }: Received<DeliveryJob>, now: number): number {
    const longestMs = (delaysMs.get(topic) ?? Number.POSITIVE_INFINITY) + SKEW_MS;
    return visibleAtMs > now + longestMs ? now : visibleAtMs;
  }

  return {
    dueAtMs(record) {
      const now = nowMs();
      const visibleAtMs = comesOutAtMs(record, now);
      const isWaiting = visibleAtMs > 0;
      const isPassedOver = isWaiting && waking.isTaken(record);
      const isHeldBack =
        !isPassedOver &&
        visibleAtMs <= now &&
        (queues.hasEnough || isUnheardOf(record) || isBehind(isWaiting, now));
      const fromMs = isPassedOver ? 0 : visibleAtMs;
      const dueAtMs = isHeldBack ? Math.max(fromMs, now + HELD_BACK_MS) : fromMs;
      if (isWaiting && dueAtMs > now) hold(record, visibleAtMs);
      else if (isWaiting) heads.get(record.topic)?.delete(record.partition);
      return dueAtMs;
    },
    oldestDueAtMs(runner) {
      const due = runner.assigned.flatMap((at) => {
        const head = heads.get(at.topic)?.get(at.partition);
        // A pass may have delivered the head; the runner then goes past it, and asks nobody.
        return head === undefined || head.offset < (runner.position(at) ?? 0) ? [] : head.visibleAtMs;
      });
      return due.length === 0 ? 0 : Math.min(...due);
    },
    revoked(partitions) {
      for (const { topic, partition } of partitions) heads.get(topic)?.delete(partition);
    },
  };
}
