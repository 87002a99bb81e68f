/** The closed list of causes. Callers branch on it and on `canRetry`, never on messages. */
export type KafkaErrorCode =
  | "delivery_timeout"
  | "record_too_large"
  | "unknown_topic"
  | "not_authorized"
  | "unavailable"
  | "request_failed"
  | "fenced"
  | "table_timeout"
  | "records_lost"
  | "aborted"
  | "consumer_dead"
  | "closed";

export interface KafkaErrorOptions {
  readonly canRetry: boolean;
  readonly cause?: unknown;
}

/** The only error that leaves this package. */
export class KafkaError extends Error {
  readonly code: KafkaErrorCode;
  /** The same call may succeed later without anybody changing anything. */
  readonly canRetry: boolean;

  constructor(code: KafkaErrorCode, message: string, options: KafkaErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "KafkaError";
    this.code = code;
    this.canRetry = options.canRetry;
  }
}

/** What is under way when a consumer ends. The client calls it a crash (log.ts). */
export const consumerStopped = (): KafkaError =>
  new KafkaError("closed", "the consumer is stopped", { canRetry: false });

const CODE_BY_TYPE: Readonly<Record<string, KafkaErrorCode>> = {
  MESSAGE_TOO_LARGE: "record_too_large",
  RECORD_LIST_TOO_LARGE: "record_too_large",
  // The broker refuses a commit's metadata, or the size of one commit of many partitions.
  OFFSET_METADATA_TOO_LARGE: "record_too_large",
  INVALID_COMMIT_OFFSET_SIZE: "record_too_large",
  UNKNOWN_TOPIC_OR_PARTITION: "unknown_topic",
  INVALID_TOPIC_EXCEPTION: "unknown_topic",
  TOPIC_AUTHORIZATION_FAILED: "not_authorized",
  GROUP_AUTHORIZATION_FAILED: "not_authorized",
  CLUSTER_AUTHORIZATION_FAILED: "not_authorized",
  SASL_AUTHENTICATION_FAILED: "not_authorized",
  INVALID_PRODUCER_EPOCH: "fenced",
  OUT_OF_ORDER_SEQUENCE_NUMBER: "fenced",
};

const CODE_BY_NAME: Readonly<Record<string, KafkaErrorCode>> = {
  KafkaJSConnectionError: "unavailable",
  KafkaJSConnectionClosedError: "unavailable",
  KafkaJSRequestTimeoutError: "unavailable",
  KafkaJSBrokerNotFound: "unavailable",
  KafkaJSNoBrokerAvailableError: "unavailable",
  KafkaJSLockTimeout: "unavailable",
  KafkaJSGroupCoordinatorNotFound: "unavailable",
  KafkaJSSASLAuthenticationError: "not_authorized",
  // The client reads from metadata that it no longer has when every broker is away.
  TypeError: "unavailable",
};

/** The client throws these as plain errors. It lost the broker between looking it up and asking it (kafkajs, broker/index.js). */
const CODE_BY_MESSAGE: Readonly<Record<string, KafkaErrorCode>> = {
  "Broker not connected": "unavailable",
};

/** The client says "authentication failed" of every login that has not ended well, also where the broker went away in the middle of it, and keeps the text alone. */
const LOGIN_CUT_OFF = /Closed connection|Connection (closed|error|timeout)|Not connected|timed out/;

/** The client asks every broker, and drops what they answered: one that refuses the group looks like one that is away (kafkajs, cluster/brokerPool.js). */
const HINT_BY_NAME: Readonly<Record<string, string>> = {
  KafkaJSGroupCoordinatorNotFound:
    "it is not there yet, or no rule lets this user at the group (hookline topics acls)",
};

/** Codes that no waiting heals. An unknown topic is not one of them: it may be about to be created. */
const FINAL_CODES: ReadonlySet<KafkaErrorCode> = new Set(["record_too_large", "not_authorized", "fenced"]);

/** The facts of a client error that matter here; errors are read by their shape because they may come from another realm. */
interface ClientErrorShape {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly message?: unknown;
  readonly retriable?: unknown;
  readonly cause?: unknown;
}

function shapeOf(error: unknown): ClientErrorShape {
  return typeof error === "object" && error !== null ? error : { message: String(error) };
}

/** The innermost error: the client wraps what happened in "retries exceeded" and "not retriable". */
function rootOf(error: unknown): ClientErrorShape {
  let shape = shapeOf(error);
  for (let depth = 0; depth < 10 && typeof shape.cause === "object" && shape.cause !== null; depth += 1) {
    shape = shapeOf(shape.cause);
  }
  return shape;
}

/** Kafka's name of what went wrong, where it was Kafka that said so. */
export const typeOf = (error: unknown): unknown => rootOf(error).type;

function codeOf({ type, name, message }: ClientErrorShape): KafkaErrorCode {
  const byMessage = name === "Error" ? CODE_BY_MESSAGE[String(message)] : undefined;
  if (name === "KafkaJSSASLAuthenticationError" && LOGIN_CUT_OFF.test(String(message))) return "unavailable";
  return CODE_BY_TYPE[String(type)] ?? CODE_BY_NAME[String(name)] ?? byMessage ?? "request_failed";
}

/** Turns what the client threw into our error. Lost connections are worth another try even where the client says otherwise. */
export function fromClientError(error: unknown): KafkaError {
  if (error instanceof KafkaError) return error;
  const root = rootOf(error);
  const code = codeOf(root);
  const retriable = root.retriable === true || code === "unavailable" || code === "unknown_topic";
  const hint = HINT_BY_NAME[String(root.name)];
  const message = String(root.message ?? root.name ?? "unknown");
  return new KafkaError(code, hint === undefined ? message : `${message}: ${hint}`, {
    canRetry: retriable && !FINAL_CODES.has(code),
    cause: error,
  });
}

/** Any thrown value as an Error. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { message } = shapeOf(thrown);
  return new Error(typeof message === "string" ? message : String(thrown), { cause: thrown });
}
