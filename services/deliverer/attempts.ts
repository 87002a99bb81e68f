import { classifyResult, deliveryHeaders } from "#contract";
import type { Egress } from "#egress";
import type { DeliveryJob } from "#topics";
import type { ReachableDestination, Webhook } from "./destinations.ts";
import type { Endpoints } from "./endpoints.ts";
import { messageOf, type WebhookResult } from "./outcomes.ts";
import type { Telemetry } from "./telemetry.ts";

export interface AttemptsOptions {
  readonly egress: Pick<Egress, "post">;
  readonly endpoints: Endpoints;
  /** Contract 2.5. */
  readonly responseDeadlineMs: number;
  readonly userAgent: string;
  readonly nowMs: () => number;
  /** Told of each request that has ended. */
  readonly observers: readonly Pick<Telemetry, "requested">[];
}

export interface Attempt {
  readonly job: DeliveryJob;
  readonly destination: ReachableDestination;
  /** Which of the destination's webhooks. */
  readonly urls: readonly string[];
}

/** One webhook's part of an attempt. */
interface Part {
  readonly body: Buffer;
  readonly webhook: Webhook;
  readonly sharedSecret: string | undefined;
}

/** Where an attempt stands after one more of its requests has ended. */
interface Progress {
  readonly latest: WebhookResult;
  /** So far; as many as the attempt has webhooks when it is over. */
  readonly results: readonly WebhookResult[];
}

/** Posts one job to several webhooks in parallel (contract 3.2); every request runs to its end and is told of. */
export type MakeAttempt = (attempt: Attempt, onProgress: (progress: Progress) => void) => void;

export function createAttempts(options: AttemptsOptions): MakeAttempt {
  const { egress, endpoints, nowMs, responseDeadlineMs, observers, userAgent } = options;

  /** Told of when it has ended, its place at the endpoint already free again. */
  function request(part: Part, ended: (result: WebhookResult) => void, free: () => void): void {
    const { body, webhook, sharedSecret } = part;
    const startedAtMs = nowMs();
    // Signed for each attempt: the secret may have changed since the last one (contract 2.3, 3.6).
    const headers = deliveryHeaders({ body, staticHeaders: webhook.headers, sharedSecret, userAgent });
    void egress.post({ url: webhook.url, headers, body, deadlineMs: responseDeadlineMs }).then((result) => {
      free();
      const outcome = classifyResult(result, nowMs());
      const { durationMs } = result;
      ended({ url: webhook.url, outcome, message: messageOf(result), startedAtMs, durationMs });
    });
  }

  return ({ job, destination, urls }, onProgress) => {
    const results: WebhookResult[] = [];
    const ended = (latest: WebhookResult): void => {
      results.push(latest);
      for (const observer of observers) observer.requested(job, latest);
      onProgress({ latest, results });
    };
    if (destination.kind === "unreadable") {
      for (const url of urls) ended(unreadable(url, destination.message, nowMs()));
      return;
    }
    const { sharedSecret } = destination;
    for (const url of urls) {
      const webhook = destination.webhooks.get(url);
      if (webhook === undefined) continue;
      const part = { body: job.body, webhook, sharedSecret };
      endpoints.start(webhook.endpoint, (free) => request(part, ended, free));
    }
  };
}

function unreadable(url: string, message: string, startedAtMs: number): WebhookResult {
  const outcome = { kind: "retryable", reason: "secret_unreadable" } as const;
  return { url, outcome, message, startedAtMs, durationMs: 0 };
}
