// What the API does with issues, whoever asks.
import type { Static } from "typebox";
import { parseTimestamp } from "#contract";
import type { IssueMark } from "#topics";
import type { Actor } from "../../http/caller.ts";
import { type FieldProblem, notFound, ProblemError, refused } from "../../http/problem.ts";
import type { Issue } from "../index/issues-table.ts";
import { isUpToDate } from "../index/progress.ts";
import type { IssueParts } from "./parts.ts";
import { type IssueBody, MOST_SNOOZED_MS, QUIET_TEXT } from "./schemas.ts";
import { type IssueState, judgeIssue } from "./state.ts";

type Body = Static<typeof IssueBody>;

const ACTIONS = {
  open: "reopened",
  acknowledged: "acknowledged",
  snoozed: "snoozed",
  resolved: "resolved",
} as const satisfies Record<IssueState, string>;

/** Throws a 404; a 503 while it may still come to be known. */
export function existingIssue(
  { deliveries, nowMs }: Pick<IssueParts, "deliveries" | "nowMs">,
  id: string,
): Issue {
  const { index, progress } = deliveries;
  const issue = index.findIssue(id);
  if (issue !== undefined) return issue;
  if (!isUpToDate(progress, ["attempts", "deadLetters"], nowMs()))
    throw new ProblemError("unavailable", "the failures are still being read");
  throw notFound("issue", id);
}

/** Durable when it resolves. Rejects with a 404, a 409 for one that fails no more, or a 422. */
export async function changeIssue(
  parts: IssueParts,
  { by, id }: { readonly id: string; readonly by: Actor },
  body: Body,
): Promise<Issue> {
  const { audit, issueMarks, nowMs } = parts;
  const issue = existingIssue(parts, id);
  const atMs = nowMs();
  const problems = snoozeProblems(body, atMs);
  if (problems.length > 0) throw refused(problems);
  const { state: before } = judgeIssue(issue, issueMarks.get(id), atMs);
  if (before === "resolved" && !canChange(issue, body, atMs))
    throw new ProblemError(
      "conflict",
      `the issue is resolved: nothing of it has failed since, or for ${QUIET_TEXT}; the next failure opens it`,
    );
  const untilMs = parseTimestamp(body.snoozedUntil) ?? null;
  const mark: IssueMark = {
    issueId: id,
    destinationId: issue.destinationId,
    state: body.state,
    untilMs,
    atMs,
    token: by.token,
  };
  await audit.record({
    by,
    action: ACTIONS[body.state],
    resource: "issue",
    resourceId: id,
    before: { state: before },
    after: { destinationId: issue.destinationId, ...body },
  });
  await issueMarks.put(mark);
  return issue;
}

/** What a person has resolved they may open; what is quiet is resolved whatever they say. */
function canChange(issue: Issue, { state }: Body, nowMs: number): boolean {
  if (state === "resolved") return true;
  return state === "open" && judgeIssue(issue, undefined, nowMs).state !== "resolved";
}

function snoozeProblems({ snoozedUntil, state }: Body, nowMs: number): FieldProblem[] {
  const path = "snoozedUntil";
  if (state !== "snoozed")
    return snoozedUntil === undefined ? [] : [{ path, message: "goes with the state snoozed" }];
  if (snoozedUntil === undefined) return [{ path, message: "is required with the state snoozed" }];
  const untilMs = parseTimestamp(snoozedUntil);
  if (untilMs === undefined) return [{ path, message: "is not an ISO 8601 time" }];
  if (untilMs <= nowMs) return [{ path, message: "must be in the future" }];
  if (untilMs > nowMs + MOST_SNOOZED_MS) return [{ path, message: "must be at most 90 days from now" }];
  return [];
}
