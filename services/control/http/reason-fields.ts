// The closed lists of reasons as the API's document has them, each a named component; docs/use/reasons.md and GET /v1/reasons say what each means.
import { Type } from "typebox";
import {
  DEAD_LETTER_REASONS,
  DIVERT_REASONS,
  DROP_REASONS,
  OUTCOME_REASONS,
  PASSED_OVER_REASONS,
  REJECTION_CODES,
} from "#contract";

/** What a value may be; records of an earlier version may have others, which are shown as they are. */
function oneOf(title: string, values: readonly string[], description: string) {
  return Type.Unsafe<string>({ title, type: "string", enum: values, description });
}

export const DeadLetterReasonField = oneOf(
  "DeadLetterReason",
  DEAD_LETTER_REASONS,
  "Why a call failed for good.",
);
export const OutcomeReasonField = oneOf(
  "OutcomeReason",
  OUTCOME_REASONS,
  "Why a request did not deliver its call.",
);
/** As deliverers record that a webhook had no room for a call, or was down. */
export const LAST_OUTCOMES = [...OUTCOME_REASONS, "diverted"];
export const LastOutcomeField = oneOf(
  "LastOutcome",
  LAST_OUTCOMES,
  "Why the last request did not deliver its call; diverted: none was made, the call was put off.",
);
export const AttemptOutcomeField = oneOf(
  "AttemptOutcome",
  ["success", ...OUTCOME_REASONS],
  "success, or why the request did not deliver its call.",
);
export const DivertReasonField = oneOf(
  "DivertReason",
  DIVERT_REASONS,
  "Why a call is put off without a request.",
);
export const DropReasonField = oneOf(
  "DropReason",
  DROP_REASONS,
  "Why a call that was accepted goes nowhere.",
);
export const PassedOverReasonField = oneOf(
  "PassedOverReason",
  PASSED_OVER_REASONS,
  "Why a destination does not get a call.",
);
export const RejectionCodeField = oneOf(
  "RejectionCode",
  REJECTION_CODES,
  "Why a call or a whole request is refused.",
);
