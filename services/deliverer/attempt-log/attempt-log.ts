// The log that customers and the health of destinations read: records of single requests, and totals per
// minute. Nothing here belongs to a call's durability: a record that is lost loses no call, and none is
// waited for.
import type { DeliveryJob } from "#topics";
import type { WebhookResult } from "../outcomes.ts";
import { SAMPLING_BOUNDS, Sampling, type SamplingBounds } from "./sampling.ts";
import { Totals } from "./totals.ts";
import type { AttemptWriter } from "./writer.ts";

export interface AttemptLog {
  /** One request to one webhook has ended. */
  requested(job: DeliveryJob, result: WebhookResult): void;
  /** A job was put off without a request, because its endpoint was full or down; it is counted only. */
  diverted(job: DeliveryJob): void;
  /** Writes everything that is counted or held back. */
  flush(): void;
}

export interface AttemptLogOptions {
  readonly writer: Pick<AttemptWriter, "attempt" | "total">;
  readonly nowMs: () => number;
  /** A sample unless given. */
  readonly bounds?: SamplingBounds;
  /** Webhooks, of each source's calls, whose counts are held; over it all are written. */
  readonly maxDestinations?: number;
}

/** About 2 KiB each. */
const MAX_DESTINATIONS = 10_000;

interface Ended {
  readonly job: DeliveryJob;
  readonly result: WebhookResult;
}

export function createAttemptLog(options: AttemptLogOptions): AttemptLog {
  const { writer, nowMs, bounds = SAMPLING_BOUNDS.sample, maxDestinations = MAX_DESTINATIONS } = options;
  const totals = new Totals();
  const sampling = new Sampling(bounds, maxDestinations);
  /** The newest failure of each destination that got no record, so that the last record of all says how it stands. */
  const heldBack = new Map<string, Ended>();

  function writeTotals(): void {
    for (const total of totals.take()) writer.total(total);
  }

  function countsAt({ destinationId, sourceId }: DeliveryJob, url: string, endedAtMs: number) {
    if (totals.size >= maxDestinations) writeTotals();
    return totals.at({ destinationId, sourceId, url }, endedAtMs);
  }

  function failed(job: DeliveryJob, result: WebhookResult, endedAtMs: number): void {
    const { destinationId } = job;
    const suppressed = sampling.failure(destinationId, endedAtMs);
    if (suppressed === undefined) {
      if (heldBack.size < maxDestinations) heldBack.set(destinationId, { job, result });
    } else {
      heldBack.delete(destinationId);
      writer.attempt(job, result, suppressed);
    }
  }

  return {
    requested(job, result) {
      const { outcome, startedAtMs, durationMs, url } = result;
      const endedAtMs = startedAtMs + durationMs;
      const counts = countsAt(job, url, endedAtMs);
      counts.duration(durationMs);
      counts.outcome(outcome.kind === "success" ? "success" : outcome.reason);
      if ("status" in outcome && outcome.status !== undefined) counts.status(outcome.status);
      if (outcome.kind !== "success") return failed(job, result, endedAtMs);
      if (job.replayId === null) counts.latency(endedAtMs - job.receivedAtMs);
      if (heldBack.size > 0) heldBack.delete(job.destinationId);
      if (sampling.success(job.destinationId, endedAtMs)) writer.attempt(job, result, 0);
    },
    diverted: (job) => countsAt(job, "", nowMs()).outcome("diverted"),
    flush() {
      writeTotals();
      for (const [destinationId, { job, result }] of heldBack)
        writer.attempt(job, result, sampling.lateFailure(destinationId));
      heldBack.clear();
    },
  };
}
