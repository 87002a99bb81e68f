// The span of one request. It has only the URL's host, as answers of the control API do: the rest may be a
// secret.
import type { AttemptOutcome, RequestResult } from "#contract";
import type { DeliveryJob } from "#topics";
import type { SpanEnd, SpanStart } from "#tracing";

export function spanOf(job: DeliveryJob, webhook: { readonly url: string }): SpanStart {
  return {
    name: "POST webhook",
    kind: "client",
    attributes: {
      "http.request.method": "POST",
      "server.address": URL.parse(webhook.url)?.hostname ?? "",
      "hookline.destination.id": job.destinationId,
      "hookline.source.id": job.sourceId,
      "hookline.message.id": job.messageId,
      "hookline.attempt": job.attempts + 1,
    },
  };
}

/** Never the failure's text: the other side may have had words in it. */
export function spanEnd(result: RequestResult, outcome: AttemptOutcome): SpanEnd {
  const attributes = {
    "hookline.outcome": outcome.kind,
    ...(result.kind === "failure" ? {} : { "http.response.status_code": result.status }),
  };
  return { attributes, error: outcome.kind === "success" ? undefined : outcome.reason };
}
