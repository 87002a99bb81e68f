import { classifyResult, type DivertReason, type RequestResult } from "#contract";
import type { Egress } from "#egress";
import type { Ownership, RecordHeaders } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { Span, Tracer } from "#tracing";
import type { ReachableDestination, Webhook } from "../destinations.ts";
import type { Quota } from "../endpoints/destination-limit.ts";
import type { DestinationLimits, LimitedRequest } from "../endpoints/destination-limits.ts";
import type { EndpointRequest } from "../endpoints/request.ts";
import { type DivertedResult, messageOf, type PartResult, type WebhookResult } from "../outcomes.ts";
import type { Telemetry } from "../telemetry.ts";
import { detailsOf } from "./details.ts";
import { requestHeaders } from "./request-headers.ts";
import { spanEnd, spanOf } from "./span.ts";

export interface AttemptsOptions {
  readonly egress: Pick<Egress, "post">;
  /** The way to the endpoints. */
  readonly queues: Pick<DestinationLimits, "enter" | "ended">;
  /** Contract 2.5. */
  readonly responseDeadlineMs: number;
  readonly userAgent: string;
  readonly nowMs: () => number;
  /** The queues' clock, which nobody sets: a pause or a rate must not last for as long as a clock was wrong. */
  readonly elapsedMs: () => number;
  /** Called for each request that has ended. */
  readonly observers: readonly Pick<Telemetry, "requested">[];
  readonly tracer: Pick<Tracer, "follow">;
}

export interface Attempt {
  readonly job: DeliveryJob;
  readonly destination: ReachableDestination;
  /** The destination's webhooks to ask. */
  readonly urls: readonly string[];
  /** No request begins without it. */
  readonly claim: Ownership;
  /** Headers of the job's record; the trace that the job came in. */
  readonly headers?: RecordHeaders | undefined;
}

/**
 * The progress of an attempt after one more of its webhooks is through: by a request, by a divert, or because
 * nothing may begin any more.
 */
interface Progress {
  /** Results of its webhooks so far. */
  readonly results: readonly PartResult[];
  /** One of them has succeeded. */
  readonly isDelivered: boolean;
  /** None of them waits for room any more: its request has begun, or it is through. */
  readonly isAsked: boolean;
  /** One of them was to be asked when the job was not ours any more. Its result is a divert. */
  readonly isWithdrawn: boolean;
  /** All of them are through. */
  readonly isOver: boolean;
}

/** Posts one job to several webhooks in parallel (contract 3.2); every request runs to its end and is reported. */
export type MakeAttempt = (attempt: Attempt, onProgress: (progress: Progress) => void) => void;

export function createAttempts(options: AttemptsOptions): MakeAttempt {
  const { elapsedMs, queues, nowMs } = options;

  return ({ job, destination, urls, claim, headers }, onProgress) => {
    const results: PartResult[] = [];
    let isDelivered = false;
    let isWithdrawn = false;
    let waiting = urls.length;
    const progressed = (): void => {
      const isOver = results.length === urls.length;
      onProgress({ results, isDelivered, isAsked: waiting === 0, isOver, isWithdrawn });
    };
    const asked = (): void => {
      waiting -= 1;
      // Nobody needs to hear of it before: most jobs have one webhook.
      if (isDelivered) progressed();
    };
    const ended = (latest: PartResult): void => {
      results.push(latest);
      isDelivered ||= latest.outcome.kind === "success";
      progressed();
    };
    const diverted = (result: DivertedResult): void => {
      waiting -= 1;
      ended(result);
    };
    const withdrawn = (result: DivertedResult): void => {
      isWithdrawn = true;
      diverted(result);
    };
    if (destination.kind === "unreadable") {
      for (const url of urls) tell(options, job, unreadable(url, destination.message, nowMs()), ended);
      return;
    }
    for (const url of urls) {
      const webhook = destination.webhooks.get(url);
      if (webhook === undefined) continue;
      const part: Part = { job, webhook, claim, headers, asked, ended, diverted, withdrawn };
      queues.enter(new WebhookRequest(options, part), elapsedMs());
    }
  };
}

/** One webhook's part of an attempt. */
interface Part {
  readonly job: DeliveryJob;
  readonly webhook: Webhook;
  readonly claim: Ownership;
  readonly headers: RecordHeaders | undefined;
  /** Called when its request begins. */
  asked(): void;
  /** Called when its request has ended. */
  ended(result: WebhookResult): void;
  diverted(result: DivertedResult): void;
  withdrawn(result: DivertedResult): void;
}

/** A request on its way through its endpoint's queue. */
class WebhookRequest implements LimitedRequest {
  limit: { left(nowMs: number): void } | undefined;
  next: EndpointRequest | undefined;
  enteredAtMs = 0;
  readonly endpoint: string;
  readonly isRetry: boolean;
  readonly destinationId: string;
  readonly quota: Quota | undefined;
  readonly #options: AttemptsOptions;
  readonly #part: Part;

  constructor(options: AttemptsOptions, part: Part) {
    const { job, webhook } = part;
    this.endpoint = webhook.url;
    this.destinationId = job.destinationId;
    this.quota = webhook.quota;
    this.isRetry = job.attempts > 0 || job.diverts > 0;
    this.#options = options;
    this.#part = part;
  }

  get isWithdrawn(): boolean {
    return !this.#part.claim.isOurs;
  }

  withdraw(): void {
    this.limit?.left(this.#options.elapsedMs());
    this.#part.withdrawn(this.#notAsked("handed_over", undefined));
  }

  start(): void {
    const { egress, nowMs, responseDeadlineMs, tracer, userAgent } = this.#options;
    const { job, webhook } = this.#part;
    const { body } = job;
    const startedAtMs = nowMs();
    const span = tracer.follow(this.#part.headers, () => spanOf(job, webhook));
    const trace = span?.headers;
    const headers = requestHeaders({ job, webhook, userAgent, nowMs: startedAtMs, trace });
    void egress
      .post({
        url: webhook.url,
        headers,
        body,
        deadlineMs: responseDeadlineMs,
        captureFailureBytes: webhook.masking.captureBytes,
      })
      .then((result) => this.#ended(result, startedAtMs, span));
    this.#part.asked();
  }

  divert(reason: DivertReason, turnAtMs: number | undefined): void {
    // Its next owner would not know of the divert, and make an attempt beside it.
    if (this.isWithdrawn) {
      this.withdraw();
      return;
    }
    this.limit?.left(this.#options.elapsedMs());
    this.#part.diverted(this.#notAsked(reason, turnAtMs));
  }

  #notAsked(reason: DivertReason, turnAtMs: number | undefined): DivertedResult {
    const { elapsedMs, nowMs } = this.#options;
    const turnInMs = turnAtMs === undefined ? undefined : () => Math.ceil(turnAtMs - elapsedMs());
    return { url: this.#part.webhook.url, outcome: { kind: "diverted", reason }, atMs: nowMs(), turnInMs };
  }

  /** Reports the request when its place at the endpoint is free again. */
  #ended(result: RequestResult, startedAtMs: number, span: Span | undefined): void {
    const { elapsedMs, queues, nowMs } = this.#options;
    const { durationMs } = result;
    const outcome = classifyResult(result, nowMs());
    span?.end(spanEnd(result, outcome));
    this.limit?.left(elapsedMs());
    queues.ended(this, outcome, { durationMs, nowMs: elapsedMs() });
    const { job, webhook, ended } = this.#part;
    const { masking, url } = webhook;
    const message =
      result.kind === "failure" ? masking.masked((mask) => mask(result.message)) : messageOf(result);
    const details = () => detailsOf(result, masking);
    tell(this.#options, job, { url, outcome, message, startedAtMs, durationMs, details }, ended);
  }
}

function tell(
  { observers }: AttemptsOptions,
  job: DeliveryJob,
  result: WebhookResult,
  ended: (result: WebhookResult) => void,
): void {
  for (const observer of observers) observer.requested(job, result);
  ended(result);
}

function unreadable(url: string, message: string, startedAtMs: number): WebhookResult {
  const outcome = { kind: "retryable", reason: "secret_unreadable" } as const;
  return { url, outcome, message, startedAtMs, durationMs: 0 };
}
