// What state an issue is in: what a person has said of it, and whether it still fails. Pure.
import type { IssueMark } from "#topics";
import { type Issue, QUIET_MS } from "../index/issues-table.ts";

export const ISSUE_STATES = ["open", "acknowledged", "snoozed", "resolved"] as const;
export type IssueState = (typeof ISSUE_STATES)[number];

export interface JudgedIssue {
  readonly state: IssueState;
  /** What a person has said and still holds. */
  readonly mark: IssueMark | undefined;
}

/** A mark that a later failure or a quiet time has ended says nothing. */
export function judgeIssue(
  { lastAtMs, mayBeOlder, sinceMs }: Pick<Issue, "lastAtMs" | "mayBeOlder" | "sinceMs">,
  mark: IssueMark | undefined,
  nowMs: number,
): JudgedIssue {
  if (mark?.state === "resolved" && lastAtMs <= mark.atMs) return { state: "resolved", mark };
  if (nowMs - lastAtMs >= QUIET_MS) return { state: "resolved", mark: undefined };
  if (mark?.state === "snoozed" && nowMs < (mark.untilMs ?? 0)) return { state: "snoozed", mark };
  if (mark?.state === "acknowledged" && (mayBeOlder || mark.atMs >= sinceMs))
    return { state: "acknowledged", mark };
  return { state: "open", mark: undefined };
}
