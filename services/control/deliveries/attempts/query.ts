// How a list of requests is narrowed; pure.
import { type Static, Type } from "typebox";
import { DELIVERED_TYPES, type DeliveredType, OUTCOME_REASONS } from "#contract";
import { refused } from "../../http/problem.ts";
import { PAGE_FIELDS, RANGE_FIELDS, readRange } from "../../http/time-pages.ts";
import { readUser, USER_FIELDS } from "../../http/user-fields.ts";
import type { AttemptFilter, ListedAttempt } from "../index/attempts-table.ts";
import { isOf } from "../waiting/find.ts";

const STATUS = /^[1-5](?:xx|\d\d)$/;

export const ATTEMPTS_QUERY = {
  sourceId: Type.Optional(Type.String({ minLength: 1, description: "Only calls of this source." })),
  outcome: Type.Optional(
    Type.Unsafe<string>({
      title: "AttemptFilter",
      type: "string",
      enum: ["success", "failed", ...OUTCOME_REASONS],
      description: "success, failed for every other, or one reason.",
    }),
  ),
  status: Type.Optional(
    Type.String({ description: "Of the response: one, as 503, or a class of them, as 5xx." }),
  ),
  type: Type.Optional(
    Type.Unsafe<DeliveredType>({
      type: "string",
      enum: [...DELIVERED_TYPES],
      description: "Only calls of this type.",
    }),
  ),
  event: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Only track calls of this name, where calls are recorded (HOOKLINE_RECORDED_CALLS=all).",
    }),
  ),
  messageId: Type.Optional(Type.String({ minLength: 1 })),
  ...USER_FIELDS,
  ...RANGE_FIELDS,
  ...PAGE_FIELDS,
};

const AttemptsQuery = Type.Object({ ...ATTEMPTS_QUERY, destinationId: Type.Optional(Type.String()) });
export type AttemptsQuery = Static<typeof AttemptsQuery>;

/** What the tables find by themselves. Throws a 422. */
export function soughtAttempts(query: AttemptsQuery): AttemptFilter {
  const { destinationId, messageId, outcome } = query;
  const hasFailed = outcome !== undefined && outcome !== "success";
  return { destinationId, messageId, hasFailed, ...readRange(query) };
}

/** Whether the tables find all that is asked for. */
export function isFoundByIndex({
  anonymousId,
  event,
  outcome,
  sourceId,
  status,
  type,
  userId,
}: AttemptsQuery): boolean {
  const others = [anonymousId, event, sourceId, status, type, userId];
  return others.every((one) => one === undefined) && (outcome === undefined || outcome === "failed");
}

/** What else is asked of an attempt, but for the name of its event. Throws a 422. */
export function attemptTest(query: AttemptsQuery): (attempt: ListedAttempt) => boolean {
  const { outcome, sourceId, status, type } = query;
  const user = readUser(query);
  if (status !== undefined && !STATUS.test(status))
    throw refused([{ path: "status", message: "is not a status such as 503, nor a class such as 5xx" }]);
  return (attempt) =>
    (sourceId === undefined || attempt.sourceId === sourceId) &&
    (type === undefined || attempt.type === type) &&
    (outcome === undefined || isOutcome(attempt, outcome)) &&
    (status === undefined || isStatus(attempt.status, status)) &&
    isOf(user, attempt);
}

function isOutcome(attempt: ListedAttempt, outcome: string): boolean {
  return outcome === "failed" ? attempt.outcome !== "success" : attempt.outcome === outcome;
}

function isStatus(status: number | null, asked: string): boolean {
  if (status === null) return false;
  return asked.endsWith("xx") ? `${status}`.charAt(0) === asked.charAt(0) : `${status}` === asked;
}
