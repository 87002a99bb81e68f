export {
  type AccessRule,
  accessRules,
  PRINCIPALS,
  type PrincipalName,
} from "./access.ts";
export { type AttemptDetails, NO_DETAILS } from "./attempt-details.ts";
export {
  type ConfigurationRecord,
  type ConfigurationTopic,
  configurationTopics,
  witnessesOf,
} from "./configuration.ts";
export { type ConsumerGroup, consumerGroups } from "./groups.ts";
export {
  audienceProgressKey,
  callKey,
  DEFAULT_SHARD_WIDTH,
  deliveryKey,
  endpointKey,
  routedCallKey,
  shardOf,
  shardWidthOf,
  suppressionKey,
  suppressionScope,
  USER_HASH_BYTES,
  userHash,
} from "./keys.ts";
export type { RetryTopic, TopicMap, TopicMapOptions } from "./map.ts";
export { allTopics, leftoverRetryTopics, topicMap } from "./map.ts";
export { profileEvent } from "./profile-event.ts";
export { brokenRecordReason, rawDeadLetter } from "./raw-dead-letter.ts";
export type {
  AudienceBackfill,
  AudienceConfig,
  AudienceProgress,
  AudienceVersion,
  AuditEntry,
  Call,
  ConnectionSync,
  DeadLetter,
  DeliveryAttempt,
  DeliveryJob,
  DeliveryTotal,
  DeliveryWake,
  DestinationConfig,
  DestinationHealth,
  EncryptedSecret,
  EndpointBreaker,
  ImportError,
  MembershipImport,
  MembershipImportRows,
  OperationalEvent,
  PassedOver,
  ProfileBackfill,
  ProfileEventCall,
  ProfileEventRecord,
  ProfileEventSummary,
  ProfileFlip,
  ProfileLeaf,
  ProfileResult,
  ProfileState,
  ProfileSuppression,
  ProfileTrait,
  RecordTypes,
  RefusedCalls,
  Regulation,
  Replay,
  ReplayedCalls,
  ReplayStretch,
  RequestKey,
  RetryDone,
  RetryPlace,
  RetryRequest,
  RoutedCall,
  SourceConfig,
  Suppression,
  UnsureValue,
  Webhook,
  WebhookHeader,
  WebhookHealth,
  WebhookOutcome,
} from "./records.generated.ts";
export { DESTINATION_DEFAULTS } from "./records.generated.ts";
export { KEPT_MS, TOMBSTONES_KEPT_MS } from "./retention.ts";
export { RetriedPlaces } from "./retried-places.ts";
export { ChosenCalls, EVERY_CALL, type RetryChoice } from "./retry-choice.ts";
export type { Cleanup, RecordName, Topic } from "./topic.ts";
export { untriedJob } from "./untried-job.ts";
