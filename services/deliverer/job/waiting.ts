import { type OwnRetries, type RetrySchedule, retryTier } from "#contract";
import type { DeliveryJob } from "#topics";

/** The retry schedule and the delays of the topics that calls wait in (contract 3.5). */
export interface Retries {
  readonly schedule: RetrySchedule;
  /** Ascending; the index is the tier. */
  readonly delaysMs: readonly number[];
}

/** The retries of a destination; undefined: those of the installation. Its calls wait in the same topics. */
export function retriesWith(own: OwnRetries | undefined, retries: Retries): Retries {
  return own === undefined ? retries : { ...retries, schedule: retries.schedule.withOwn(own) };
}

/** A job to be written to the retry topic of `tier`. */
export interface Waiting {
  readonly kind: "wait";
  readonly tier: number;
  readonly job: DeliveryJob;
}

/** Puts a job that is due later into the tier with the longest delay that ends by then; it comes out at `fromMs` plus that delay. */
export function waitFrom(job: DeliveryJob, fromMs: number, { delaysMs }: Retries): Waiting {
  const tier = retryTier(delaysMs, job.dueAtMs, fromMs) ?? 0;
  return { kind: "wait", tier, job: { ...job, visibleAtMs: fromMs + (delaysMs[tier] ?? 0) } };
}
