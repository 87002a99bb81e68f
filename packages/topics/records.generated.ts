// Generated from schemas/*.avsc by generate-records.ts; do not edit.

/** One accepted call. The body is the delivered JSON, written once at ingest; the other fields are what routing needs. */
export interface Call {
  messageId: string;
  sourceId: string;
  /** Call type in lower case. */
  type: string;
  userId: null | string;
  anonymousId: null | string;
  /** Name of a track call. */
  event: null | string;
  /** Destination name to enabled; an object value counts as true. */
  integrations: Record<string, boolean>;
  /** When it happened, clock skew corrected, Unix milliseconds. */
  timestampMs: number;
  /** When ingest accepted it, Unix milliseconds. */
  receivedAtMs: number;
  /** The delivered JSON, UTF-8. */
  body: Buffer;
}

export interface WebhookOutcome {
  url: string;
  kind: string;
  reason: string;
  status: null | number;
  message: string;
  atMs: number;
  durationMs: number;
}

/** A call that failed for good, or a record that could not be read; nothing accepted vanishes. */
export interface DeadLetter {
  /** The job's id, or topic-partition-offset of a record that could not be read. */
  id: string;
  /** permanent, window_over, destination_gone, destination_disabled, undecodable or handler_failed. */
  reason: string;
  message: string;
  deadAtMs: number;
  destinationId: null | string;
  sourceId: null | string;
  messageId: null | string;
  type: null | string;
  receivedAtMs: null | number;
  attempts: number;
  firstAttemptAtMs: null | number;
  outcomes: Array<WebhookOutcome>;
  /** topic-partition-offset of the record that ended here. */
  origin: string;
  /** The delivered JSON; the raw record value when it could not be read. */
  body: Buffer;
}

/** One call on its way to one destination; in delivery-jobs before its first attempt, in a retry topic while it waits. */
export interface DeliveryJob {
  /** Derived from messageId and destinationId, so a job emitted twice is recognised. */
  jobId: string;
  destinationId: string;
  /** Which of the destination's shards; with destinationId it is the record's key. */
  shard: number;
  messageId: string;
  sourceId: string;
  type: string;
  receivedAtMs: number;
  /** Attempts made so far. */
  attempts: number;
  /** Start of the four-hour window. */
  firstAttemptAtMs: null | number;
  /** Not to be attempted before; 0 in delivery-jobs. */
  dueAtMs: number;
  /** When its retry topic's fixed delay ends; at most dueAtMs plus the smallest delay. */
  visibleAtMs: number;
  /** Last outcome of every webhook tried so far; a webhook that is not here was not tried yet. */
  outcomes: Array<WebhookOutcome>;
  /** The delivered JSON, UTF-8. */
  body: Buffer;
}

/** AES-256-GCM; see packages/secrets. */
export interface EncryptedSecret {
  keyId: string;
  /** 12 bytes nonce, the ciphertext, 16 bytes tag. */
  ciphertext: Buffer;
}

export interface WebhookHeader {
  name: string;
  value: EncryptedSecret;
}

export interface Webhook {
  url: string;
  headers: Array<WebhookHeader>;
}

/** One webhooks destination: up to five webhooks that get the calls of the connected sources. */
export interface DestinationConfig {
  id: string;
  name: string;
  enabled: boolean;
  sourceIds: Array<string>;
  /** Call types to send; null sends all. */
  callTypes: null | Array<string>;
  sharedSecret: null | EncryptedSecret;
  webhooks: Array<Webhook>;
  /** 1 when created, plus one with each change. */
  version: number;
  createdAtMs: number;
  updatedAtMs: number;
}

/** One source: where calls come from. */
export interface SourceConfig {
  id: string;
  name: string;
  enabled: boolean;
  /** Keys that authorise calls of this source, oldest first. */
  writeKeys: Array<string>;
  /** 1 when created, plus one with each change. */
  version: number;
  createdAtMs: number;
  updatedAtMs: number;
}

/** Schema file name (without .avsc) to its record. */
export interface RecordTypes {
  "call": Call;
  "dead-letter": DeadLetter;
  "delivery-job": DeliveryJob;
  "destination-config": DestinationConfig;
  "source-config": SourceConfig;
}
