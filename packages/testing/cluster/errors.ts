/** Whether trying again may help, by what the broker says; as the client has it. */
const IS_RETRIABLE = {
  UNKNOWN_TOPIC_OR_PARTITION: true,
  LEADER_NOT_AVAILABLE: true,
  NOT_LEADER_FOR_PARTITION: true,
  OFFSET_OUT_OF_RANGE: true,
  REQUEST_TIMED_OUT: true,
  NOT_ENOUGH_REPLICAS: true,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: true,
  MESSAGE_TOO_LARGE: false,
  INVALID_PRODUCER_EPOCH: false,
  OUT_OF_ORDER_SEQUENCE_NUMBER: false,
  GROUP_LOAD_IN_PROGRESS: true,
  GROUP_COORDINATOR_NOT_AVAILABLE: true,
  NOT_COORDINATOR_FOR_GROUP: true,
  ILLEGAL_GENERATION: false,
  UNKNOWN_MEMBER_ID: false,
  REBALANCE_IN_PROGRESS: false,
  OFFSET_METADATA_TOO_LARGE: false,
} as const;

/** What a broker refuses with. */
export type Refusal = keyof typeof IS_RETRIABLE;

/** An error in the shape that the client's have: the product reads `name`, `type`, `retriable` and `cause`. */
export class ClusterError extends Error {
  readonly retriable: boolean;
  readonly type: Refusal | undefined;

  private constructor(
    name: string,
    message: string,
    facts: { retriable: boolean; type?: Refusal; cause?: unknown },
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = name;
    this.retriable = facts.retriable;
    this.type = facts.type;
  }

  /** A broker's answer. */
  static refused(type: Refusal): ClusterError {
    return new ClusterError("KafkaJSProtocolError", type, { retriable: IS_RETRIABLE[type], type });
  }

  static outOfRange(topic: string, partition: number): ClusterError {
    const error = new ClusterError("KafkaJSOffsetOutOfRange", "OFFSET_OUT_OF_RANGE", {
      retriable: true,
      type: "OFFSET_OUT_OF_RANGE",
    });
    return Object.assign(error, { topic, partition });
  }

  /** Nobody answers at the broker's address. */
  static unreachable(broker: number): ClusterError {
    return new ClusterError("KafkaJSConnectionError", `no connection to broker ${broker}`, {
      retriable: true,
    });
  }

  /** The connection broke with a request under way. */
  static closed(broker: number): ClusterError {
    const message = `connection to broker ${broker} closed`;
    return new ClusterError("KafkaJSConnectionClosedError", message, { retriable: true });
  }

  static timedOut(api: string): ClusterError {
    return new ClusterError("KafkaJSRequestTimeoutError", `${api} timed out`, { retriable: true });
  }

  static noBroker(): ClusterError {
    return new ClusterError("KafkaJSNoBrokerAvailableError", "no broker available", { retriable: false });
  }

  static retriesExceeded(cause: ClusterError): ClusterError {
    return new ClusterError("KafkaJSNumberOfRetriesExceeded", cause.message, { retriable: false, cause });
  }

  static final(cause: unknown): ClusterError {
    const message = cause instanceof Error ? cause.message : String(cause);
    return new ClusterError("KafkaJSNonRetriableError", message, { retriable: false, cause });
  }
}

export function refusalOf(thrown: unknown): Refusal | undefined {
  return thrown instanceof ClusterError ? thrown.type : undefined;
}

export function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : "";
}
