// Issues as the API shows them.
import { type Static, Type } from "typebox";
import { DEAD_LETTER_REASONS, formatDuration } from "#contract";
import type { DestinationConfig } from "#topics";
import { nullableInteger, nullableString } from "../../http/nullable.ts";
import { LAST_OUTCOMES } from "../../http/reason-fields.ts";
import { isoTime, isoTimeOrNull, PAGE_FIELDS } from "../../http/time-pages.ts";
import { webhookFields } from "../../http/webhook-fields.ts";
import { AttemptView, attemptView } from "../attempts/view.ts";
import type { ListedAttempt } from "../index/attempts-table.ts";
import { type Issue, MAX_ISSUES, QUIET_MS } from "../index/issues-table.ts";
import { ISSUE_STATES, type IssueState, type JudgedIssue } from "./state.ts";

/** Last requests of an issue. */
export const SHOWN_ATTEMPTS = 5;

export const QUIET_TEXT = formatDuration(QUIET_MS, "h");
export const ISSUES_TEXT = `Failures with the same destination, webhook and reason are one issue. It is resolved when a person says so, until it fails again, or when nothing has failed for ${QUIET_TEXT}. The last ${MAX_ISSUES} are kept, for as long as dead letters are.`;

const StateField = Type.Unsafe<IssueState>({
  title: "IssueState",
  type: "string",
  enum: [...ISSUE_STATES],
});

const ReasonField = Type.Unsafe<string>({
  title: "IssueReason",
  type: "string",
  enum: [...new Set([...LAST_OUTCOMES, ...DEAD_LETTER_REASONS])],
  description:
    "Why the requests failed, or diverted where calls died that were put off; without a webhook that was tried why they became dead letters.",
});

export const IssuesQuery = Type.Object({
  destinationId: Type.Optional(
    Type.String({ minLength: 1, description: "Only issues of this destination." }),
  ),
  state: Type.Optional(StateField),
  ...PAGE_FIELDS,
});

const MOST_SNOOZED_DAYS = 90;
export const MOST_SNOOZED_MS = MOST_SNOOZED_DAYS * 86_400_000;

export const IssueBody = Type.Object(
  {
    state: Type.Unsafe<IssueState>({
      type: "string",
      enum: [...ISSUE_STATES],
      description:
        "acknowledged: somebody works on it, until it is resolved. snoozed: not to be looked at until `snoozedUntil`. resolved: until it fails again. open: none of these.",
    }),
    snoozedUntil: Type.Optional(
      Type.String({
        format: "date-time",
        description: `With snoozed, and needed there: when it is open again, at most ${MOST_SNOOZED_DAYS} days from now.`,
      }),
    ),
  },
  { additionalProperties: false, title: "IssueChange", examples: [{ state: "acknowledged" }] },
);

const STATUS_FIELDS = {
  status: Type.Integer(),
  requests: Type.Integer({ description: "Failed requests that are recorded." }),
  deadLetters: Type.Integer({ description: "Calls that died with it as the last answer." }),
  lastAt: Type.String({ format: "date-time" }),
  error: Type.String({ description: "Of the last one." }),
};

const FIELDS = {
  id: Type.String({
    description: "The same for the same destination, webhook and reason, whenever they fail.",
  }),
  state: StateField,
  destinationId: Type.String(),
  destinationName: nullableString("null of a destination that was deleted."),
  webhookId: nullableString("null for calls that died without a request that failed."),
  url: nullableString("Shortened, as its path may be a secret; null as webhookId."),
  reason: ReasonField,
  requests: Type.Integer({
    description: "Failed requests that are recorded: at most 50 a second and destination are.",
  }),
  deadLetters: Type.Integer({ description: "Calls that failed for good by it, of which all are counted." }),
  firstAt: Type.String({
    format: "date-time",
    description: "The first failure, as far back as records are kept.",
  }),
  openedAt: Type.String({
    format: "date-time",
    description: `The first failure after ${QUIET_TEXT} without one.`,
  }),
  lastAt: Type.String({
    format: "date-time",
    description: "The last failed request; without requests the last dead letter.",
  }),
  status: nullableInteger("Of the last response; null when there was none."),
  error: Type.String({ description: "Of the last failure, for people." }),
  statuses: Type.Array(Type.Object(STATUS_FIELDS), {
    description: "What was answered, the most frequent status first; none of failures without an answer.",
  }),
  changedAt: nullableString(
    "When a person made it what it is; null of one that is open, or resolved by itself.",
  ),
  changedBy: nullableString("Name of their token."),
  snoozedUntil: nullableString(),
};

const EXAMPLE = {
  id: "iss_9c1f0b7a52d86e43",
  state: "acknowledged",
  destinationId: "dst_41b0c6d29e8f7a53",
  destinationName: "Orders",
  ...webhookFields("dst_41b0c6d29e8f7a53", "https://example.com/hook"),
  reason: "http_5xx",
  requests: 412,
  deadLetters: 31,
  firstAt: "2026-11-02T08:00:00.000Z",
  openedAt: "2026-11-02T08:00:00.000Z",
  lastAt: "2026-11-02T12:10:04.000Z",
  status: 503,
  error: "HTTP 503",
  statuses: [
    { status: 503, requests: 409, deadLetters: 31, lastAt: "2026-11-02T12:10:04.000Z", error: "HTTP 503" },
    { status: 500, requests: 3, deadLetters: 0, lastAt: "2026-11-02T08:41:17.000Z", error: "HTTP 500" },
  ],
  changedAt: "2026-11-02T08:20:00.000Z",
  changedBy: "on-call",
  snoozedUntil: null,
};

export const IssueView = Type.Object(FIELDS, {
  title: "Issue",
  description: ISSUES_TEXT,
  examples: [EXAMPLE],
});

const AgainView = Type.Unsafe<object | null>({
  type: ["object", "null"],
  additionalProperties: true,
  description:
    "The request that sends the calls again that died of it; null without dead letters, or where the destination is off or was deleted.",
});

export const WholeIssueView = Type.Object(
  {
    ...FIELDS,
    statuses: Type.Array(
      Type.Object({
        ...STATUS_FIELDS,
        attempt: Type.Union([AttemptView, Type.Null()], {
          description:
            "Its last request; null where it is not among the thousand newest failures of the destination.",
        }),
      }),
    ),
    attempts: Type.Array(AttemptView, {
      description: "Its last requests, newest first, as far as they are kept.",
    }),
    sendAgain: AgainView,
  },
  { title: "WholeIssue", description: "An issue with its last requests." },
);

export function issueView(
  issue: Issue,
  { mark, state }: JudgedIssue,
  destination: Pick<DestinationConfig, "name"> | undefined,
): Static<typeof IssueView> {
  const { firstAtMs, lastAtMs, message, place: _, sinceMs, statuses, url, ...counted } = issue;
  return {
    ...counted,
    state,
    destinationName: destination?.name ?? null,
    ...(url === null ? { webhookId: null, url } : webhookFields(counted.destinationId, url)),
    firstAt: isoTime(firstAtMs),
    openedAt: isoTime(sinceMs),
    lastAt: isoTime(lastAtMs),
    error: message,
    statuses: statuses.map(({ lastAtMs: atMs, message: error, ...counts }) => ({
      ...counts,
      lastAt: isoTime(atMs),
      error,
    })),
    changedAt: isoTimeOrNull(mark?.atMs),
    changedBy: mark?.token ?? null,
    snoozedUntil: isoTimeOrNull(mark?.untilMs),
  };
}

/** `attempts`: the last ones, and the last one of each status. */
export function wholeIssueView(
  view: Static<typeof IssueView>,
  attempts: readonly ListedAttempt[],
  destination: Pick<DestinationConfig, "enabled"> | undefined,
): Static<typeof WholeIssueView> {
  const canSend = view.deadLetters > 0 && destination?.enabled === true;
  const sendAgain = canSend
    ? { method: "POST", path: "/v1/dead-letters/replay", body: { issueId: view.id } }
    : null;
  const shown = attempts.map(attemptView);
  return {
    ...view,
    statuses: view.statuses.map((one) => ({
      ...one,
      attempt: shown.find(({ status }) => status === one.status) ?? null,
    })),
    attempts: shown.slice(0, SHOWN_ATTEMPTS),
    sendAgain,
  };
}
