import type { AttemptOutcome, DivertReason, RequestResult } from "#contract";
import type { AttemptDetails, DeliveryJob, WebhookOutcome } from "#topics";

type UnreadableSecret = { readonly kind: "retryable"; readonly reason: "secret_unreadable" };

/** The result of one webhook in one attempt. */
export interface WebhookResult {
  readonly url: string;
  readonly outcome: AttemptOutcome | UnreadableSecret;
  /** A message for people; it never holds a secret. */
  readonly message: string;
  /** When the request started, Unix ms. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /**
   * Further details of the request for its record: masking costs more than the rest, and most requests are
   * only counted. Absent when none was made.
   */
  readonly details?: () => AttemptDetails;
}

/** A webhook that was not asked, because its endpoint was full, down, or wanted a pause. */
export interface DivertedResult {
  readonly url: string;
  readonly outcome: { readonly kind: "diverted"; readonly reason: DivertReason };
  readonly atMs: number;
  /**
   * How long it is from now until its turn may come, where that is known. A wait and no time of day: a clock that was put right since
   * would make it as much longer.
   */
  readonly turnInMs: (() => number) | undefined;
}

/** One webhook's part of what became of a job in hand. */
export type PartResult = WebhookResult | DivertedResult;

export function isDiverted(result: PartResult): result is DivertedResult {
  return result.outcome.kind === "diverted";
}

/** Diverts that stand for a failure of the endpoint: it has failed before, or asked for a pause. */
const ILL: ReadonlySet<DivertReason> = new Set(["breaker_open", "paused"]);

/** The webhook was not asked for want of room, and not because its endpoint is ill. */
export function wantedRoom(result: PartResult): result is DivertedResult {
  return isDiverted(result) && !ILL.has(result.outcome.reason);
}

/** The message of an outcome, for people. */
export function messageOf(result: RequestResult): string {
  return result.kind === "failure" ? result.message : `HTTP ${result.status}`;
}

/** Enough for two configurations of five webhooks: what a removed URL came to is worth keeping, but not without end. */
const MAX_OUTCOMES = 10;

/**
 * The job's outcomes with the newest of each URL: results replace what the same URL came to before. That a webhook was not asked is
 * worth remembering only while nothing else is known of it.
 */
export function mergeOutcomes(job: DeliveryJob, results: readonly PartResult[]): WebhookOutcome[] {
  const known = new Set(job.outcomes.map(({ url }) => url));
  const news = results.filter((result) => !isDiverted(result) || !known.has(result.url));
  const replaced = new Set(news.map(({ url }) => url));
  const older = job.outcomes.filter(({ url }) => !replaced.has(url));
  return [...older, ...news.flatMap((result) => failedOutcome(result))].slice(-MAX_OUTCOMES);
}

function failedOutcome(result: PartResult): WebhookOutcome[] {
  if (isDiverted(result)) return [divertedOutcome(result)];
  const { url, outcome, message, startedAtMs, durationMs } = result;
  if (outcome.kind === "success") return [];
  const { kind, reason } = outcome;
  const status = "status" in outcome ? (outcome.status ?? null) : null;
  return [{ url, kind, reason, status, message, atMs: startedAtMs, durationMs: Math.round(durationMs) }];
}

function divertedOutcome({ url, outcome, atMs }: DivertedResult): WebhookOutcome {
  const message = `not asked: ${outcome.reason}`;
  return { url, kind: "retryable", reason: "diverted", status: null, message, atMs, durationMs: 0 };
}
