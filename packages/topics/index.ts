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
export { deliveryJob } from "./delivery-job.ts";
export { type ConsumerGroup, consumerGroups, formerControlGroups } from "./groups.ts";
export { leftoverRetryTopics, type RetryTopic } from "./job-topics.ts";
export {
  audienceProgressKey,
  audienceSizeKey,
  callKey,
  DEFAULT_SHARD_WIDTH,
  deliveryKey,
  endpointKey,
  formerKeyUseKey,
  orderedBy,
  routedCallKey,
  shardOf,
  shardWidthOf,
  statsKey,
  suppressionKey,
  suppressionScope,
  USER_HASH_BYTES,
  userHash,
} from "./keys.ts";
export type { TopicMap, TopicMapOptions } from "./map.ts";
export { allTopics, topicMap } from "./map.ts";
export { profileEvent } from "./profile-event.ts";
export { brokenRecordReason, rawDeadLetter } from "./raw-dead-letter.ts";
export type {
  AudienceBackfill,
  AudienceConfig,
  AudienceHour,
  AudienceProgress,
  AudienceSize,
  AudienceVersion,
  AuditEntry,
  Call,
  CallCount,
  ConnectionSync,
  DeadLetter,
  DeliveryAttempt,
  DeliveryJob,
  DeliveryTotal,
  DeliveryWake,
  DestinationConfig,
  DestinationHealth,
  DoubtedValue,
  EncryptedSecret,
  EndpointBreaker,
  FormerKeyUse,
  ImportError,
  IssueMark,
  MembershipImport,
  MembershipImportRows,
  NameCount,
  OperationalEvent,
  PassedOver,
  ProfileAccount,
  ProfileBackfill,
  ProfileEventCall,
  ProfileEventRecord,
  ProfileEventSummary,
  ProfileFlip,
  ProfileLeaf,
  ProfileMove,
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
  RequestCount,
  RequestKey,
  RetryDone,
  RetryPlace,
  RetryRequest,
  RoutedCall,
  SourceConfig,
  StatsRollup,
  Suppression,
  UnsureValue,
  Webhook,
  WebhookHeader,
  WebhookHealth,
  WebhookOutcome,
} from "./records.generated.ts";
export { DESTINATION_DEFAULTS } from "./records.generated.ts";
export { AUDIENCE_SIZES_KEPT_MS, KEPT_MS, TOMBSTONES_KEPT_MS } from "./retention.ts";
export { RetriedPlaces } from "./retried-places.ts";
export { ChosenCalls, EVERY_CALL, type RetryChoice } from "./retry-choice.ts";
export type { RecordName, Topic } from "./topic.ts";
export { untriedJob } from "./untried-job.ts";
