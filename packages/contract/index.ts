export {
  type Acceptance,
  type AcceptContext,
  type AcceptedCall,
  acceptCall,
} from "./accept-call.ts";
export type {
  ConnectionTrace,
  RequestFailure,
  RequestPhases,
  RequestResult,
  ResponseHeaders,
} from "./attempt.ts";
export { SPACE_SOURCE } from "./built-in-source.ts";
export {
  type CallIdentity,
  type CallUser,
  deliveryJobId,
  identityOf,
  isGivenBySync,
  jobKey,
  replayJobId,
  userIn,
  userKey,
} from "./call-identity.ts";
export {
  CALL_TYPES,
  CALLS,
  type CallType,
  DELIVERED_TYPES,
  type DeliveredType,
  hasPreviousId,
  isCallType,
  isNamedCallType,
  NAMED_CALL_TYPES,
  type NamedCallType,
} from "./call-types.ts";
export { deleteBody } from "./delivered-body.ts";
export {
  deliveryHeaders,
  type StandardWebhookOptions,
  USER_AGENT,
} from "./delivery-request.ts";
export { formatDuration, parseDuration, UNITS_MS } from "./duration-text.ts";
export { DURATION_BUCKETS, durationBucket, durationPercentileMs } from "./durations.ts";
export { parseExactJson } from "./exact-json/exact-json.ts";
export { isIntegrationEnabled, WEBHOOKS_INTEGRATION } from "./integrations.ts";
export { describeJson, isJsonObject, type JsonObject } from "./json.ts";
export {
  MAX_BATCH_BYTES,
  MAX_BATCH_CALLS,
  MAX_CALL_BYTES,
  MAX_CALL_DEPTH,
  MAX_MESSAGE_ID_CHARACTERS,
  MAX_RETRY_AFTER_MS,
  MAX_RETRY_DELAYS,
  MAX_WEBHOOKS,
  MAX_WINDOW_MS,
  RESPONSE_DEADLINE_MS,
  RETRY_DELAYS_MS,
  WINDOW_MS,
} from "./limits.ts";
export { didYouMean, mustBeOneOf } from "./nearest.ts";
export { jsonFault } from "./nesting.ts";
export {
  type AttemptOutcome,
  classifyResult,
} from "./outcome.ts";
export { type Batch, readBatch } from "./read-batch.ts";
export {
  BROKEN_RECORD_REASONS,
  type BrokenRecordReason,
  DEAD_LETTER_REASONS,
  DEAD_LETTERS,
  type DeadLetterReason,
} from "./reasons/dead-letters.ts";
export { DIVERT_REASONS, DIVERTS, type DivertReason } from "./reasons/diverts.ts";
export {
  DROP_REASONS,
  DROPS,
  type DropReason,
  PASSED_OVER,
  PASSED_OVER_REASONS,
  type PassedOverReason,
  type UnroutedReason,
} from "./reasons/drops.ts";
export {
  isPermanent,
  OUTCOME_REASONS,
  type OutcomeReason,
  PERMANENT,
  RETRYABLE,
} from "./reasons/outcomes.ts";
export type { Reason, Reasons } from "./reasons/reason.ts";
export {
  REFUSAL_CODES,
  REJECTION_CODES,
  REJECTIONS,
  type Rejection,
  type RejectionCode,
} from "./reasons/rejections.ts";
export {
  deletionMessageId,
  isDeletion,
  MAX_SUBJECTS,
  type Notification,
  REGULATION_TYPES,
  type RegulationType,
  suppressionOf,
} from "./regulation.ts";
export { givenRequestId } from "./request-id.ts";
export {
  createRetrySchedule,
  type FailedAttempt,
  type OwnRetries,
  type RetrySchedule,
  retrySpread,
  retryTier,
} from "./retry-schedule.ts";
export {
  isAlwaysSent,
  SELECTION_FIELDS,
  type Selection,
  TAKES_ALL,
  takesEvent,
  takesType,
  whyNotSelected,
} from "./selection.ts";
export {
  clientIdOf,
  portsOf,
  SERVICE_NAMES,
  SERVICES,
  SERVICES_WITH_DISK,
  type ServiceName,
} from "./services.ts";
export { signBody } from "./signature.ts";
export { standardWebhookHeaders, webhookId } from "./standard-webhooks.ts";
export { type CallWarning, parseTimestamp, timestampWarning, WARNING_CODES } from "./timestamp.ts";
export { uuidV5 } from "./uuid-v5.ts";
export { prepareValidation } from "./validate-call.ts";
export {
  type Problem,
  urlProblem,
  webhookProblems,
} from "./webhook-rules.ts";
