// How a list of waiting calls is narrowed; pure.
import { type Static, Type } from "typebox";
import { DELIVERED_TYPES, type DeliveredType, userIn } from "#contract";
import type { DeliveryJob, WebhookOutcome } from "#topics";
import { PageQuery } from "../../http/pages.ts";
import { LastOutcomeField } from "../../http/reason-fields.ts";
import { readUser, USER_FIELDS } from "../../http/user-fields.ts";
import { webhookId } from "../../http/webhook-fields.ts";
import { isOf } from "./find.ts";
import { WAITING_STATES, type WaitingState, waitingState } from "./waiting-job.ts";

export const WaitingQuery = Type.Object({
  state: Type.Optional(Type.Unsafe<WaitingState>({ type: "string", enum: [...WAITING_STATES] })),
  webhookId: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "Only calls that were tried at this webhook, or put off for it; with reason, whose last outcome there was that.",
    }),
  ),
  reason: Type.Optional(LastOutcomeField),
  minAttempts: Type.Optional(
    Type.Integer({ minimum: 1, description: "Only calls that were attempted at least so often." }),
  ),
  sourceId: Type.Optional(Type.String({ minLength: 1, description: "Only calls of this source." })),
  type: Type.Optional(
    Type.Unsafe<DeliveredType>({
      type: "string",
      enum: [...DELIVERED_TYPES],
      description: "Only calls of this type.",
    }),
  ),
  messageId: Type.Optional(Type.String({ minLength: 1 })),
  ...USER_FIELDS,
  ...PageQuery.properties,
});
type Asked = Omit<Static<typeof WaitingQuery>, "after" | "limit">;

/** Of the jobs of one destination. Throws a 422. */
export function waitingTest(destinationId: string, asked: Asked): (job: DeliveryJob) => boolean {
  const { messageId, minAttempts = 0, sourceId, state, type } = asked;
  const user = readUser(asked);
  const hasFailedSo = outcomeTest(destinationId, asked);
  return (job) =>
    (state === undefined || waitingState(job) === state) &&
    job.attempts >= minAttempts &&
    (sourceId === undefined || job.sourceId === sourceId) &&
    (type === undefined || job.type === type) &&
    (messageId === undefined || job.messageId === messageId) &&
    isOf(user, userIn(job)) &&
    hasFailedSo(job);
}

function outcomeTest(
  destinationId: string,
  { reason, webhookId: asked }: Asked,
): (job: DeliveryJob) => boolean {
  if (reason === undefined && asked === undefined) return () => true;
  /** Ids are hashes; jobs have the same few URLs. */
  const ids = new Map<string, string>();
  const idOf = (url: string): string => {
    const id = ids.get(url) ?? webhookId(destinationId, url);
    ids.set(url, id);
    return id;
  };
  const isIt = (outcome: WebhookOutcome): boolean =>
    (reason === undefined || outcome.reason === reason) &&
    (asked === undefined || idOf(outcome.url) === asked);
  return ({ outcomes }) => outcomes.some(isIt);
}
