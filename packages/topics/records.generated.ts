// Generated from schemas/*.avsc by `npm run generate`; do not edit.

/** A definition of before, which holds on in a partition until a later one is prepared there; the newest first. */
export interface AudienceVersion {
  /** JSON. */
  definition: string;
  generation: number;
}

/** How far the first sync looks back; null leaves it to the processor. */
export interface AudienceBackfill {
  mode: string;
  days: null | number;
}

/** One audience, computed trait or imported list. Of a deleted one the key stays: keys are never used again. */
export interface AudienceConfig {
  id: string;
  /** audience, trait or list. */
  kind: string;
  /** Name of the trait that is sent. */
  key: string;
  name: string;
  /** JSON as it was given; null for a list. */
  definition: null | string;
  includeAnonymous: boolean;
  /** 1 when created, plus one with each edit of the definition. */
  generation: number;
  earlier: Array<AudienceVersion>;
  isPaused: boolean;
  backfill: null | AudienceBackfill;
  createdAtMs: number;
  updatedAtMs: number;
  deletedAtMs: null | number;
  /** Of a deleted one: the members are sent false. */
  isExitAll: boolean;
  /** Of an audience or list: each change is sent as a track call, too. */
  hasTrackCalls: boolean;
  /** Of a deleted one: every partition has let go of it, and only its key is left, as of a list without a name; the definition says whether it was of accounts. */
  isForgotten: boolean;
  /** Of an audience or list: names of traits that are sent along with each change. */
  sentTraits: Array<string>;
}

/** How far one partition of the audience processor is with one audience or computed trait, or with one leaf that looks back on the log. */
export interface AudienceProgress {
  /** Of the audience or computed trait; leaf: and its key for a leaf. */
  id: string;
  partition: number;
  /** The one that the rest is about; of a leaf, its life. */
  generation: number;
  /** preparing, live or deleted; of a leaf also counted: live once every partition has counted its log. */
  state: string;
  /** It was paused when this was written: resumed, all profiles are evaluated again. */
  isPaused: boolean;
  /** Profiles that the first sync has evaluated. */
  profilesDone: number;
  profilesTotal: number;
  /** Id of the last profile that the first sync has evaluated; of a leaf the first offset of profile-events that is not counted yet. */
  cursor: null | string;
  /** From this offset of profile-events on everything is folded as it comes. */
  fenceOffset: number;
  /** Events before the fence that were read again. */
  eventsDone: number;
  /** Events before the fence that are to be read again. */
  eventsTotal: number;
  /** Since when calls are counted; null when all that the definition asks for are. */
  coverageFromMs: null | number;
  /** Calls that the definition asks for are not known any more. */
  isPartial: boolean;
  /** In this partition. */
  members: number;
  updatedAtMs: number;
  /** Profiles of this partition that had no room for something it asks for. */
  incompleteProfiles: number;
  /** All profiles were evaluated once, by this generation or one before: what changes from then on is no member who was there already. */
  isFirstOver: boolean;
}

export interface AudienceHour {
  /** Of the day. */
  hour: number;
  entered: number;
  left: number;
}

/** How many were in one audience or list in one partition of profiles on one day, and how many entered and left; or how far a partition has counted. */
export interface AudienceSize {
  /** Of the audience or list; empty: up to where the partition has counted. */
  id: string;
  partition: number;
  /** UTC, since 1970. */
  day: number;
  /** All batches of the partition up to this one are counted. */
  batch: number;
  /** Of how far it has counted: what lies before this offset of profiles is in the counts. */
  countedTo: number;
  /** At the end of the day, or by now. */
  members: number;
  /** The members were found in the profiles: who was in before is not known. */
  isBeginning: boolean;
  hours: Array<AudienceHour>;
}

/** One change that somebody made through the control API. It is written before the change. */
export interface AuditEntry {
  id: string;
  atMs: number;
  /** Name of the token that was used; local where none is configured, control for what control does by itself. */
  token: string;
  /** X-Request-Id. */
  requestId: null | string;
  /** created, updated, deleted, started, cancelled, confirmed, retried, acknowledged, snoozed, resolved or reopened. */
  action: string;
  resource: string;
  resourceId: string;
  /** JSON, without secrets; null of what is new. */
  before: null | string;
  /** JSON, without secrets; null of what is gone. */
  after: null | string;
  /** False: the entry before it with the same id said so, and then the change was refused. */
  isMade: boolean;
  /** That of the request by its Idempotency-Key, empty of one without; null: the version before wrote none. */
  claim: null | string;
}

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
  /** The account, of a call that an audience or computed trait of accounts makes: it has no user. */
  groupId: null | string;
}

export interface UnsureValue {
  profileId: string;
  incarnation: number;
  computationId: string;
  generation: number;
  seq: number;
  /** It was given under an id of its own. */
  isCorrection: boolean;
}

export interface DoubtedValue {
  profileId: string;
  computationId: string;
}

/** Whether a destination is connected to the source of audiences, and how far it is with the members that there were when it was. */
export interface ConnectionSync {
  /** Of the destination. */
  id: string;
  /** It is enabled, and that source is one of its own. */
  isConnected: boolean;
  /** It was given all members. */
  isDone: boolean;
  /** Of profiles; those before it are done. */
  partition: number;
  /** Id of the last profile of the partition that is done. */
  cursor: null | string;
  /** Identify calls written; at least. */
  sent: number;
  /** Audiences and computed traits that were paused when their turn came; it is given theirs once they are resumed. */
  heldBackIds: Array<string>;
  /** Those that are being given; null: all. */
  onlyIds: null | Array<string>;
  /** Values, of profiles up to the cursor, whose calls may be written or not, and may stand behind newer ones. Noted before they are written. */
  unsure: Array<UnsureValue>;
  /** What an earlier connection was unsure of when it ended: given under ids of their own, whatever the value is. */
  doubts: Array<DoubtedValue>;
  /** By partition, an end of the log of jobs: every newer value's call stands behind it, or is one of a value that was known. */
  jobEnds: Array<number>;
  /** Version of the destination's configuration by which it takes audiences; null in records of versions before this field. */
  connectedVersion: null | number;
  /** When it was connected. */
  createdAtMs: number;
  updatedAtMs: number;
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
  /** One of packages/contract/reasons/dead-letters.ts. */
  reason: string;
  message: string;
  deadAtMs: number;
  destinationId: null | string;
  /** Of the destination, as in the job: a replay goes the same way. */
  shard: number;
  sourceId: null | string;
  messageId: null | string;
  /** Of the call; null as well in records of versions before this field. */
  userId: null | string;
  /** Of the call; as userId. */
  anonymousId: null | string;
  type: null | string;
  receivedAtMs: null | number;
  attempts: number;
  firstAttemptAtMs: null | number;
  /** The replay whose job ended here. */
  replayId: null | string;
  outcomes: Array<WebhookOutcome>;
  /** topic-partition-offset of the record that ended here. */
  origin: string;
  /** The delivered JSON; the raw record value when it could not be read. */
  body: Buffer;
}

/** One request to one webhook; every failure up to a bound per second, and a sample of the successes. */
export interface DeliveryAttempt {
  /** The deliverer's run that wrote it. */
  writer: string;
  /** Grows with every record of its writer: a record that was written twice is recognised. */
  sequence: number;
  destinationId: string;
  jobId: string;
  messageId: string;
  sourceId: string;
  /** Of the call; null as well in records of versions before this field. */
  userId: null | string;
  /** Of the call; as userId. */
  anonymousId: null | string;
  type: string;
  url: string;
  /** 1 is the first. */
  attempt: number;
  /** success or the reason's slug: timeout, http_5xx, ... */
  outcome: string;
  retryable: boolean;
  status: null | number;
  /** For people; never holds a secret. */
  message: string;
  startedAtMs: number;
  durationMs: number;
  replayId: null | string;
  /** Failures of the destination since its last record that have no record of their own: more came than are written; the totals count them all. */
  suppressed: number;
  /** Begins the body of a response that is no success, at most 1 KiB; never holds a secret. */
  responseBody: null | string;
  /** Those of interest, by their names in lower case, each at most 200 characters; no value holds a secret. */
  responseHeaders: Record<string, string>;
  /** That was connected to; null also for an address that is not of the public internet behind a name. */
  address: null | string;
  /** Null on a connection that was kept, as the next two. */
  dnsMs: null | number;
  connectMs: null | number;
  tlsMs: null | number;
  /** From the first byte of the request to the status line and headers; null when it was not sent. */
  waitMs: null | number;
}

/** One call on its way to one destination; in delivery-jobs before its first attempt, in a retry topic while it waits. */
export interface DeliveryJob {
  /** Derived from the call's identity and destinationId, so a job emitted twice is recognised. */
  jobId: string;
  destinationId: string;
  /** Which of the destination's shards; with destinationId it is the record's key. */
  shard: number;
  messageId: string;
  sourceId: string;
  /** Of the call; null as well in records of versions before this field. */
  userId: null | string;
  /** Of the call; as userId. */
  anonymousId: null | string;
  type: string;
  receivedAtMs: number;
  /** Attempts made so far. */
  attempts: number;
  /** Times the job was written to a retry topic without a request, because its endpoint was full or down. */
  diverts: number;
  /** Start of the window of retries. */
  firstAttemptAtMs: null | number;
  /** Not to be attempted before; 0 in delivery-jobs. */
  dueAtMs: number;
  /** When its retry topic's fixed delay ends; at most dueAtMs plus the smallest delay. */
  visibleAtMs: number;
  /** When the attempt failed that the job waits after; null while it waits because it was not asked. */
  failedAtMs: null | number;
  /** Until when a job is still to be asked whose window ended while this service was away. */
  lastChanceUntilMs: null | number;
  /** Since when it waits because its destination is paused; null while it does not. */
  pausedSinceMs: null | number;
  /** How long it has waited so since its first attempt; this does not count in its window. */
  pausedMs: number;
  /** The destination's pausedMs as far as the job's pausedMs has it; null before the first attempt, and in records of versions before this field. */
  destinationPausedMs: null | number;
  /** The replay that made the job out of a dead letter. */
  replayId: null | string;
  /** Webhooks that wanted room when another took the call; they are still to be asked, once. Empty while no webhook has taken it. */
  unaskedUrls: Array<string>;
  /** Last outcome of every webhook tried so far; a webhook that is not here was not tried yet. */
  outcomes: Array<WebhookOutcome>;
  /** The delivered JSON, UTF-8. */
  body: Buffer;
}

/** What one deliverer asked one webhook with calls of one source within one minute, or a part of it; the totals of a minute add up. */
export interface DeliveryTotal {
  /** The deliverer's run that wrote it. */
  writer: string;
  /** Grows with every record of its writer: a record that was written twice is recognised. */
  sequence: number;
  destinationId: string;
  /** Start of the minute in which the requests ended, Unix ms. */
  minuteMs: number;
  /** Requests by outcome: success or the reason's slug; diverted counts calls that waited without a request. */
  outcomes: Record<string, number>;
  /** Requests by duration; the buckets' bounds stand in packages/contract/durations.ts, empty buckets at the end are left out. */
  durationCounts: Array<number>;
  /** Of the webhook; empty where none was asked, and in records of versions before this field. */
  url: string;
  /** Of the calls; empty in records of versions before this field. */
  sourceId: string;
  /** Responses by HTTP status; where there were too many, the rest as 5xx, 4xx, ... */
  statuses: Record<string, number>;
  /** Deliveries by the time since ingest accepted the call, without replays; buckets as of durationCounts. */
  latencyCounts: Array<number>;
}

/** Up to where a destination's waiting jobs in one partition of one retry topic were taken ahead of their due time: every one below was taken care of, and its outcome is durable. */
export interface DeliveryWake {
  destinationId: string;
  topic: string;
  partition: number;
  /** First offset that was not taken. */
  belowOffset: number;
  /** When the newest of the jobs below was written, by its writer's clock, or later; a job written after this time is none of those meant, whatever its offset. */
  atMs: number;
}

/** AES-256-GCM; see packages/secrets. */
export interface EncryptedSecret {
  keyId: string;
  /** 12 bytes nonce, the ciphertext, 16 bytes tag. */
  ciphertext: Buffer;
  /** What is authenticated with it. 2: the destination, the field and, of a header, URL and name; 1: the destination alone. */
  format: number;
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
  /** Words of those who made it, by their keys; lists are narrowed by them. */
  labels: Record<string, string>;
  sourceIds: Array<string>;
  /** Call types to send; null sends all. */
  callTypes: null | Array<string>;
  /** Names of the track calls to send; null sends all. */
  events: null | Array<string>;
  /** JSON of the conditions that a call has to meet to be sent; null sends all. */
  filter: null | string;
  /** Over all processes; null is unlimited. */
  maxRequestsPerSecond: null | number;
  /** Requests under way at a time, over all processes; null leaves it to the endpoint's queue. */
  maxInFlight: null | number;
  /** Partitions the destination spreads over; null is the default. While there is a limit it is 1 whatever stands here, so that the limit is exact. */
  shardWidth: null | number;
  /** Unbroken failure for so long switches it off; null never does. */
  disableAfterMs: null | number;
  /** Why it was switched off when not by a person; null again when it is switched on. */
  disabledReason: null | string;
  /** When it was last switched on: failure from before does not count for disableAfterMs. */
  enabledAtMs: null | number;
  /** Since when its calls wait instead of being sent; null while it is not paused. */
  pausedAtMs: null | number;
  /** How long a call may wait for the pause to end; null is the window of retries. */
  pauseLimitMs: null | number;
  /** How long its pauses that have ended lasted, together. */
  pausedMs: number;
  /** Delay after the first, second, ... failed attempt, in any order; the last one repeats. null is the installation's. */
  retryDelaysMs: null | Array<number>;
  /** How long a call is retried, from its first attempt; null is the installation's. */
  retryWindowMs: null | number;
  /** Adds the Standard Webhooks headers. */
  standardWebhooks: boolean;
  sharedSecret: null | EncryptedSecret;
  /** Signs too until previousSecretUntilMs (Standard Webhooks rotation). */
  previousSecret: null | EncryptedSecret;
  previousSecretUntilMs: null | number;
  webhooks: Array<Webhook>;
  /** 1 when created, plus one with each change. */
  version: number;
  createdAtMs: number;
  updatedAtMs: number;
}

export interface WebhookHealth {
  url: string;
  /** The first failure since its last success. */
  sinceMs: number;
  /** As many since then. */
  failures: number;
  /** When the last one ended. */
  lastAtMs: number;
  /** The last one's slug: timeout, http_5xx, ... */
  outcome: string;
  status: null | number;
  /** For people; never holds a secret. */
  message: string;
}

/** Whether calls get through to a destination, as its attempts say. A destination that was never sent anything has no record. */
export interface DestinationHealth {
  destinationId: string;
  /** untested, healthy, failing or recovering. */
  state: string;
  /** Since when it is in this state; failing: the first failure since which nothing got through. */
  sinceMs: number;
  /** Those whose last known attempt failed. */
  webhooks: Array<WebhookHealth>;
  /** Of the webhooks that were configured at the last attempt: where none of them is left, the rest says nothing. Empty in records of 0.1.0. */
  urls: Array<string>;
  /** Of the last attempt that is part of it, in the destination's partition of delivery-attempts: one read again is not counted twice. */
  attemptOffset: number;
  /** When that attempt ended. */
  attemptAtMs: number;
}

/** How one deliverer's circuit breaker of one endpoint stands; written when that has changed. */
export interface EndpointBreaker {
  url: string;
  /** The deliverer's run that wrote it, as in its attempts. */
  writer: string;
  /** closed, open or half_open. */
  state: string;
  /** From when on the next call goes to the endpoint as a probe, Unix ms; null unless it is open. */
  nextProbeAtMs: null | number;
  /** When it stood so. */
  atMs: number;
}

/** The last accepted call with a write key that is not its source's newest one, as one ingest process has seen it; at most one in ten seconds of a key and process. */
export interface FormerKeyUse {
  sourceId: string;
  writeKey: string;
  atMs: number;
  /** Of the request, its first 200 characters. */
  userAgent: null | string;
  /** Of the address that it came from: its first 24 bits, of IPv6 its first 48. It names nobody. */
  network: null | string;
}

/** What a person has said of an issue. The issue itself follows from attempts and dead letters. */
export interface IssueMark {
  issueId: string;
  destinationId: string;
  /** open, acknowledged, snoozed or resolved. */
  state: string;
  /** When a snoozed one is open again. */
  untilMs: null | number;
  /** When it was said: a failure after it opens a resolved issue again. */
  atMs: number;
  /** Name of the token that was used, as in an audit entry. */
  token: string;
}

/** Some rows of an uploaded list; the key is the import's id. */
export interface MembershipImportRows {
  uploadId: string;
  userIds: Array<string>;
  /** How many rows of the upload come before these: a write that is tried again may stand twice. null: of a version before. */
  firstRow: null | number;
}

export interface ImportError {
  /** The first line is 1; 0: it is about no line. */
  line: number;
  message: string;
}

/** One uploaded list of members: what was asked for and how far it is. */
export interface MembershipImport {
  /** audienceId:importId. */
  id: string;
  audienceId: string;
  /** The caller's: an import counts once. */
  importId: string;
  /** replace, add or remove. */
  mode: string;
  /** staged, held, applied or refused. */
  state: string;
  /** Of its rows: an upload that was broken off left others under the same key. */
  uploadId: string;
  /** Of membership-import-rows, in the partition of the id: where its rows begin. */
  fromOffset: number;
  /** Before which they end. */
  toOffset: number;
  rows: number;
  /** It was held, and is to be applied all the same. */
  isConfirmed: boolean;
  /** It is held whatever it changes: somebody wants to see that first. */
  isHeldByRequest: boolean;
  /** The counts below are known. */
  isCompared: boolean;
  /** Different users of the rows. */
  users: number;
  /** Of those, the suppressed: nothing is changed of them. */
  suppressed: number;
  /** Of the list before it; 0 when the mode is add. */
  members: number;
  added: number;
  removed: number;
  /** Of those changes, how many are written; at least. */
  written: number;
  /** The changes of so many rows are written. */
  rowsDone: number;
  /** So many partitions of profiles were looked through for members that are not named. */
  partitionsDone: number;
  /** Why it is refused: the first ones. */
  errors: Array<ImportError>;
  errorCount: number;
  /** When the upload was whole: who was deleted later is not on the list. */
  stagedAtMs: number;
  /** The order in which imports of a list are applied: each one's is larger than that of the one before. */
  queuedAtMs: number;
  createdAtMs: number;
  updatedAtMs: number;
}

/** Something about a destination that the operator's own webhook is told. */
export interface OperationalEvent {
  /** The webhook-id: the same however often it is made or sent. */
  id: string;
  /** destination.failing, destination.recovered, destination.dead_lettered or destination.disabled. */
  type: string;
  destinationId: string;
  /** When it happened. */
  atMs: number;
  /** The JSON that is sent, UTF-8. */
  body: Buffer;
}

export interface ProfileEventCall {
  /** Call type in lower case. */
  type: string;
  /** The event of a track, the name of a page or screen. */
  name: null | string;
  userId: null | string;
  anonymousId: null | string;
  /** Of an alias. */
  previousId: null | string;
  sourceId: string;
  messageId: string;
  timestampMs: number;
  receivedAtMs: number;
  /** The delivered JSON, UTF-8. */
  body: Buffer;
  /** The account that it names, once something of accounts was made. */
  groupId: null | string;
}

export interface ProfileEventPassing {
  profileId: string;
  /** When the call was made that merged that profile; 0: not known. */
  linkedAtMs: number;
}

/** One thing that happens to a profile; the key is the profile's id. Of the fields below kind only those of its kind are set. */
export interface ProfileEventRecord {
  /** call, release, merge, delete, list, suppress or member. */
  kind: string;
  /** How often it was passed on from a merged profile to the surviving one. */
  hops: number;
  call: null | ProfileEventCall;
  /** Of a release: id of the profile into which this one is merged. */
  releaseTo: null | string;
  /** Of a merge: id of the profile that was released. */
  movedId: null | string;
  /** Of a merge: the released profile, as a value of the topic profiles. */
  movedState: null | Buffer;
  /** Of a deletion: when it was asked for. */
  deletedAtMs: null | number;
  /** Of a list: whose members are imported. */
  listId: null | string;
  /** Of a list: whether the user is on it from now on. */
  isMember: null | boolean;
  /** Of a list: when the import was whole; it says nothing of a user who was deleted later. */
  listedAtMs: null | number;
  /** Of a release: when the call was made that merges the profile. */
  linkedAtMs: null | number;
  /** Of a suppression: whether it begins or ends. */
  isSuppressed: null | boolean;
  /** Of a suppression: the one source that it is for; null for the workspace. */
  suppressedIn: null | string;
  /** Merged profiles that have passed it on, the last one last. */
  passedBy: Array<ProfileEventPassing>;
  /** Of an event that is back at a merged profile: the moment of the deletion that has ended the merge. */
  endedAtMs: null | number;
  /** Of a member: the userId. */
  memberId: null | string;
  /** Of a member: audiences and lists that the user is in, of those that conditions on members ask about. */
  audienceKeys: Array<string>;
  /** Of a member: since when it is so; of two the later one holds. */
  toldAtMs: null | number;
}

export interface ProfileTrait {
  key: string;
  /** JSON. */
  value: string;
  atMs: number;
  receivedAtMs: number;
}

/** All calls of one type and name. */
export interface ProfileEventSummary {
  type: string;
  name: string;
  count: number;
  firstMs: number;
  lastMs: number;
}

/** State of one leaf, as columns; packages/audiences/profile/leaf-record.ts says what stands where. */
export interface ProfileLeaf {
  /** Hash of the leaf's content. */
  key: string;
  /** times, counts, numbers, picks, values or occurrences. */
  kind: string;
  isOverflowing: boolean;
  longs: Array<number>;
  doubles: Array<number>;
  texts: Array<string>;
}

/** Up to where a backfill has counted events of the log into a leaf. */
export interface ProfileBackfill {
  leafKey: string;
  /** First offset of profile-events that it has not counted. */
  toOffset: number;
}

/** What an audience or computed trait came to, as it was last sent. */
export interface ProfileResult {
  computationId: string;
  /** JSON of the value; empty when none was sent. */
  text: string;
  /** How many were sent in this incarnation. */
  seq: number;
  sinceMs: number;
  generation: number;
  /** When passing time may change the value. */
  deadlineMs: null | number;
}

/** A changed value that is not known to be sent. */
export interface ProfileFlip {
  computationId: string;
  generation: number;
  seq: number;
  /** JSON of the value. */
  text: string;
  atMs: number;
  /** JSON object of the traits that are sent along, as they were; empty when there are none. */
  traits: string;
  /** It is sent as a track call, too. */
  isTracked: boolean;
  /** GroupId of the account that is told it, and nobody else: then text has ids of audiences and lists, a JSON list; empty when it is sent. */
  toAccount: string;
}

/** A stretch of profile-events whose calls are of no account. */
export interface ProfileSuppression {
  /** The one source that it is for; null for the workspace. */
  sourceId: null | string;
  fromOffset: number;
  /** null while it lasts. */
  toOffset: null | number;
}

/** The user has entered an audience or list, or left it: kept until the counts of the partition have it for sure. */
export interface ProfileMove {
  computationId: string;
  /** 1: entered, -1: left. */
  by: number;
  /** The batch of the partition that has written it; a later one has a higher number. */
  batch: number;
  /** In which it was written, since 1970. */
  hour: number;
  /** In this partition and hour, before the batch. */
  entered: number;
  /** Likewise. */
  left: number;
  /** Of this partition, before the batch. */
  members: number;
}

/** An account that calls of the user have named. */
export interface ProfileAccount {
  groupId: string;
  /** Ids of audiences and lists: the account was told last that the user is in them; of several their hash. */
  told: Array<string>;
  /** As of when; what it is told next is later. */
  toldAtMs: number;
}

/** What the audience processor keeps of one profile; the key is the profile's id. */
export interface ProfileState {
  /** Offset of the record of profile-events that the profile began with. */
  incarnation: number;
  /** Last offset of profile-events that is in the state. */
  appliedOffset: number;
  /** Of two records with the same applied offset the one with the higher version is the newer. */
  version: number;
  /** When passing time may change a result; null when never. */
  nextDeadlineMs: null | number;
  /** Latest moment at which the profile was judged; 0 when never. */
  judgedAtMs: number;
  /** Too large: calls do not change it until there is room. Read by versions before, which never thaw it. */
  isFrozen: boolean;
  /** Id of the profile that this one was merged into. */
  redirectTo: null | string;
  /** Calls up to this event time belong to a deleted user. */
  deletedAtMs: null | number;
  /** Hashes of the newest calls, six bytes each, newest last. */
  recentCalls: Buffer;
  traits: Array<ProfileTrait>;
  events: Array<ProfileEventSummary>;
  leaves: Array<ProfileLeaf>;
  /** Ids of the imported lists that name the user. */
  lists: Array<string>;
  backfilled: Array<ProfileBackfill>;
  results: Array<ProfileResult>;
  outbox: Array<ProfileFlip>;
  /** The outbox is sent once the group has committed beyond this offset of profile-events; null when no commit says so. */
  outboxOffset: null | number;
  /** The latest change of results that are not kept any more: what is sent from now on is later. */
  changedUntilMs: number;
  /** Of a merged profile: when the call was made that merged it. A later deletion of the surviving one ends that. */
  linkedAtMs: null | number;
  suppressions: Array<ProfileSuppression>;
  /** Ids of audiences and computed traits that ask for something for which there was no room. */
  incompleteFor: Array<string>;
  /** 1: calls of further names were not counted by name; 2: calls were not counted at all while there was no room. */
  uncounted: number;
  /** Of an anonymous profile: when its last call was judged; 0 when a version before has written it. Of a merged one some time less. */
  seenAtMs: number;
  /** Calls below this offset of profile-events were forgotten, because nobody had used the anonymous id for long: a backfill does not count them. */
  forgottenTo: number;
  moves: Array<ProfileMove>;
  accounts: Array<ProfileAccount>;
}

/** Calls of one request that ingest did not take, for whoever watches their source; at most so many a second, and every ten seconds one for each code with the number of the others. */
export interface RefusedCalls {
  sourceId: string;
  /** As the caller was answered: a reason of refused calls, or rate_limited. */
  code: string;
  /** For people, at most 500 characters. */
  message: string;
  /** How many of one request, or of the rest, were refused for this. */
  calls: number;
  /** Of the first of them in its batch; null as well for the rest. */
  index: null | number;
  atMs: number;
  /** Always 0 by now: versions before told here how many had no record of their own. */
  leftOut: number;
  /** What was sent: of the first of these calls, or of the request where that as a whole was at fault. Its first 4,096 characters, write keys masked. Null where it was not read or names a suppressed user, for the rest, and beyond so many characters a second. */
  body: null | string;
  isBodyCut: boolean;
  /** The users that the body names as userId and previousId; null where nobody can tell, as of malformed JSON. */
  userIds: null | Array<string>;
}

/** One deletion or suppression: what was asked for and how far it is. */
export interface Regulation {
  id: string;
  /** DELETE_ONLY, SUPPRESS_WITH_DELETE, SUPPRESS_ONLY or UNSUPPRESS. */
  regulationType: string;
  /** The one source that it is for; null for the workspace. */
  sourceId: null | string;
  /** User ids, each once; none any more when it has ended. */
  subjectIds: Array<string>;
  /** How many user ids there were. */
  subjectCount: number;
  /** 16 bytes for each user id, sorted; of a deletion that has ended, so that replays know whom they leave out. */
  subjectHashes: Buffer;
  /** The affected sources when it was asked for, in the order in which they are worked on. */
  sourceIds: Array<string>;
  /** initialized, running, finished or failed. */
  state: string;
  /** The records of suppressions are written, or there are none to write. */
  isSuppressionDone: boolean;
  /** The deletions of profile-events are written, or there are none to write. */
  isStateDone: boolean;
  /** So many of sourceIds have ended. */
  sourcesDone: number;
  /** Of the source after those, so many users are notified of. */
  subjectsDone: number;
  /** Of those that have ended, the ones with nobody to notify any more. */
  failedSourceIds: Array<string>;
  /** Delete notifications written. */
  notified: number;
  /** The moment of the deletion: its notifications carry it, and no call that was accepted later belongs to it. Null until suppressions are in force. */
  deletedAtMs: null | number;
  /** The producer id of what it writes; none before its first owner. */
  writerId: string;
  /** Of the owner that writes now; each raises it. */
  writerEpoch: number;
  /** Also the order of regulations: each one's is larger than that of the one before. */
  createdAtMs: number;
  updatedAtMs: number;
}

export interface ReplayStretch {
  partition: number;
  fromOffset: number;
  /** The first one that is not read. */
  toOffset: number;
}

export interface ReplayedCalls {
  /** delivered, dead or all: what had become of them. missing: never sent to it. */
  which: string;
  sourceId: null | string;
  /** Name of the track calls that are meant; null means every call. */
  event: null | string;
  messageId: null | string;
  /** Whose calls are meant; null beside a null anonymousId means everybody's. */
  userId: null | string;
  /** Whose calls are meant, of those that have no userId. */
  anonymousId: null | string;
  /** What of delivery-jobs is read, by partition: up to the end that it had when the replay was asked for. Where missing calls are meant, what of calls: as far as it was routed then. */
  stretches: Array<ReplayStretch>;
}

/** One replay, of dead letters or of calls that were sent to a destination or are missing there: what was asked for and how far it is. */
export interface Replay {
  id: string;
  /** The dead letters named; null for a selection. */
  ids: null | Array<string>;
  destinationId: null | string;
  /** Where they are sent instead of their own destination; null is their own. */
  toDestinationId: null | string;
  reason: null | string;
  /** Dead letters of this issue only; null is any. */
  issueId: null | string;
  fromMs: null | number;
  toMs: null | number;
  /** Pace; null is the default. */
  callsPerSecond: null | number;
  /** running, finished or cancelled. */
  state: string;
  /** End of every partition of dead-letters when it was asked for: what died later is not meant. */
  ends: Array<number>;
  /** Dead letters that are to be replayed. */
  matched: number;
  /** How many of them became jobs again. */
  replayed: number;
  /** Selected, but without a call that could be replayed. */
  skipped: number;
  /** Matched, but removed from the topic before their turn; in a replay of calls records, those of others too. */
  expired: number;
  /** Matched, but left out: their users were deleted since. */
  deleted: number;
  /** partition:offset of the last record that was dealt with, in the order of these; it goes on behind it. */
  cursor: null | string;
  /** Why it was cancelled, where nobody did so; for people. */
  error: null | string;
  /** Which calls of destinationId are meant; null in a replay of dead letters. */
  calls: null | ReplayedCalls;
  createdAtMs: number;
  updatedAtMs: number;
}

/** What became of a request to the control API that came with an Idempotency-Key: it is begun, then finished, released or unknown. Of those that begin a key the first in the log holds it. */
export interface RequestKey {
  /** Hash of the token's name, the path and the key. */
  id: string;
  /** Of the request; no other has the same. */
  claim: string;
  /** Of begun: the claim whose request changed nothing, and has ended. */
  follows: null | string;
  /** begun, finished with an answer, released because it was refused, unkept when its answer was too large, or unknown. */
  state: string;
  /** As the audit log has it. */
  requestId: string;
  /** When the request was begun. */
  atMs: number;
  /** Its name; null in records of the version before. */
  token: null | string;
  /** Of the key that encrypted what follows. */
  keyId: string;
  /** Of begun a hash of the body, of finished the answer; else empty. */
  ciphertext: Buffer;
  /** As of EncryptedSecret. */
  format: number;
}

export interface RetryPlace {
  topic: string;
  partition: number;
  /** How many the topic has. */
  partitions: number;
}

export interface RetryDone {
  /** Partitions of retry topics in which nothing is left that is meant. */
  places: Array<RetryPlace>;
  /** Calls that its writer has taken since it last said so. */
  woken: number;
}

/** A request to take a destination's waiting calls ahead of their time, or, with done, where a deliverer has carried one out. */
export interface RetryRequest {
  /** Of the request; what is done of it has the same. */
  id: string;
  destinationId: string;
  /** By the clock of the process that was asked. */
  askedAtMs: number;
  /** retry: they are attempted. deleted: they become dead letters, because their destination is gone. */
  kind: string;
  /** Only calls with one of these; null is of any. */
  messageIds: null | Array<string>;
  /** Only calls of this user. */
  userId: null | string;
  /** Only calls with this anonymousId and without a userId. */
  anonymousId: null | string;
  /** Calls that were found waiting when it was asked for; null: they were not counted, or not all of them. */
  found: null | number;
  done: null | RetryDone;
}

export interface PassedOver {
  destinationId: string;
  reason: string;
}

/** What became of one accepted call, written when HOOKLINE_RECORDED_CALLS is all; one that was routed again after a crash has two. */
export interface RoutedCall {
  sourceId: string;
  messageId: string;
  /** Of the call; null as well in records of versions before this field. */
  userId: null | string;
  /** Of the call; as userId. */
  anonymousId: null | string;
  type: string;
  /** Name of a track call; null as well in records of versions before this field. */
  event: null | string;
  /** When the call was accepted. */
  receivedAtMs: number;
  /** Of calls, where the call stands. */
  partition: number;
  /** There; tells a copy of the call from the same call that was routed again. */
  offset: number;
  /** routed, or the reason of the drop. */
  outcome: string;
  /** Those that got a job. */
  destinationIds: Array<string>;
  /** The other destinations that were connected and on; empty for a duplicate. */
  passedOver: Array<PassedOver>;
}

/** One source: where calls come from. */
export interface SourceConfig {
  id: string;
  name: string;
  enabled: boolean;
  /** Words of those who made it, by their keys; lists are narrowed by them. */
  labels: Record<string, string>;
  /** Keys that authorise calls of this source, oldest first. */
  writeKeys: Array<string>;
  /** 1 when created, plus one with each change. */
  version: number;
  createdAtMs: number;
  updatedAtMs: number;
}

export interface CallCount {
  /** Of the calls; empty for refused ones. */
  type: string;
  /** refused, routed, dropped, failed, sent, passed_over or dead. */
  stage: string;
  reason: string;
  calls: number;
}

export interface NameCount {
  name: string;
  /** Calls by stage and reason, as in "dropped duplicate". */
  counts: Record<string, number>;
}

export interface RequestCount {
  /** Empty where it is not known, or no webhook was asked. */
  webhookId: string;
  /** As in delivery-totals. */
  outcomes: Record<string, number>;
  /** As in delivery-totals. */
  durationCounts: Array<number>;
  /** As in delivery-totals. */
  statuses: Record<string, number>;
  /** As in delivery-totals. */
  latencyCounts: Array<number>;
}

/** Counts of one hour or day: the calls of a source at one destination, or before any. A newer record of the same replaces it. */
export interface StatsRollup {
  /** Start of the hour or day (UTC), Unix ms. */
  atMs: number;
  /** Empty for requests of deliverers that did not say whose calls they sent. */
  sourceId: string;
  /** Empty for what became of calls before any destination. */
  destinationId: string;
  calls: Array<CallCount>;
  /** Of the calls, those with the most frequent names of events; the others have another name or none. */
  names: Array<NameCount>;
  requests: Array<RequestCount>;
}

/** A user whose calls are dropped at ingest; the key says who, and of which source. */
export interface Suppression {
  /** What suppressed the user. */
  regulationId: string;
  /** When that was asked for. */
  atMs: number;
}

/** Schema file name (without .avsc) to its record. */
export interface RecordTypes {
  "audience-config": AudienceConfig;
  "audience-progress": AudienceProgress;
  "audience-size": AudienceSize;
  "audit-entry": AuditEntry;
  "call": Call;
  "connection-sync": ConnectionSync;
  "dead-letter": DeadLetter;
  "delivery-attempt": DeliveryAttempt;
  "delivery-job": DeliveryJob;
  "delivery-total": DeliveryTotal;
  "delivery-wake": DeliveryWake;
  "destination-config": DestinationConfig;
  "destination-health": DestinationHealth;
  "endpoint-breaker": EndpointBreaker;
  "former-key-use": FormerKeyUse;
  "issue-mark": IssueMark;
  "membership-import-rows": MembershipImportRows;
  "membership-import": MembershipImport;
  "operational-event": OperationalEvent;
  "profile-event": ProfileEventRecord;
  "profile": ProfileState;
  "refused-calls": RefusedCalls;
  "regulation": Regulation;
  "replay": Replay;
  "request-key": RequestKey;
  "retry-request": RetryRequest;
  "routed-call": RoutedCall;
  "source-config": SourceConfig;
  "stats-rollup": StatsRollup;
  "suppression": Suppression;
}

/** A destination in all that nobody has set (contract 2.3, 4.4, 4.5). */
export const DESTINATION_DEFAULTS = {
  labels: {},
  callTypes: null,
  events: null,
  filter: null,
  maxRequestsPerSecond: null,
  maxInFlight: null,
  shardWidth: null,
  disableAfterMs: null,
  disabledReason: null,
  enabledAtMs: null,
  pausedAtMs: null,
  pauseLimitMs: null,
  pausedMs: 0,
  retryDelaysMs: null,
  retryWindowMs: null,
  standardWebhooks: false,
  sharedSecret: null,
  previousSecret: null,
  previousSecretUntilMs: null,
} as const satisfies Partial<DestinationConfig>;
