export {
  BROKEN_RECORD_REASONS,
  type BrokenRecordReason,
  DEAD_LETTER_REASONS,
  DEAD_LETTERS,
  type DeadLetterReason,
} from "./dead-letters.ts";
export { DIVERT_REASONS, DIVERTS, type DivertReason } from "./diverts.ts";
export {
  DROP_REASONS,
  DROPS,
  type DropReason,
  PASSED_OVER,
  PASSED_OVER_REASONS,
  type PassedOverReason,
  type UnroutedReason,
} from "./drops.ts";
export {
  isPermanent,
  OUTCOME_REASONS,
  type OutcomeReason,
  PERMANENT,
  type PermanentReason,
  RETRYABLE,
  type RetryReason,
} from "./outcomes.ts";
export type { Reason, Reasons } from "./reason.ts";
export {
  REFUSAL_CODES,
  REJECTION_CODES,
  REJECTIONS,
  type Rejection,
  type RejectionCode,
} from "./rejections.ts";
