// Waiting calls as the API shows them.
import { Type } from "typebox";
import type { WebhookOutcome } from "#topics";
import { TimeField } from "../../http/fields.ts";
import { nullableInteger, nullableString } from "../../http/nullable.ts";
import { LastOutcomeField } from "../../http/reason-fields.ts";
import { isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { WEBHOOK_FIELDS, webhookFields } from "../../http/webhook-fields.ts";
import { WAITING_STATES, type WaitingJob, waitingState } from "./waiting-job.ts";

export const WebhookOutcomeView = Type.Object({
  ...WEBHOOK_FIELDS,
  kind: Type.String({ description: "retryable or permanent." }),
  reason: LastOutcomeField,
  status: nullableInteger(),
  error: Type.String(),
  at: TimeField,
  durationMs: Type.Integer(),
});

export const WAITING_FIELDS = {
  state: Type.Unsafe<string>({
    type: "string",
    enum: [...WAITING_STATES],
    description:
      "queued: it is sent as soon as it is read. waiting: until nextAttemptAt, or until its endpoint is back. paused: until the destination is resumed.",
  }),
  waitsIn: Type.String({ description: "The topic that its record stands in." }),
  nextAttemptAt: nullableString("When it is due; null when it is queued, or paused."),
  attempts: Type.Integer({ description: "So far." }),
  diverts: Type.Integer({ description: "Times it was put off because its endpoint was full or down." }),
  firstAttemptAt: nullableString("Its window of retries begins here."),
  replayId: nullableString("The replay that it came from."),
  webhooks: Type.Array(WebhookOutcomeView, {
    description: "The last outcome of every webhook that was tried.",
  }),
};

export function waitingView({ job, topicName }: WaitingJob) {
  const state = waitingState(job);
  return {
    state,
    waitsIn: topicName,
    nextAttemptAt: state === "waiting" ? isoTime(job.dueAtMs) : null,
    attempts: job.attempts,
    diverts: job.diverts,
    firstAttemptAt: isoTimeOrNull(job.firstAttemptAtMs),
    replayId: job.replayId,
    webhooks: job.outcomes.map((outcome) => outcomeView(job.destinationId, outcome)),
  };
}

/** The last outcome of a webhook; of dead letters too. */
export function outcomeView(
  destinationId: string,
  { atMs, durationMs, kind, message, reason, status, url }: WebhookOutcome,
) {
  const shown = { kind, reason, status, error: message, at: isoTime(atMs), durationMs };
  return { ...webhookFields(destinationId, url), ...shown };
}
