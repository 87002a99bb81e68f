import { orAborted } from "#host";
import { type Admin, atPartition, type Kafka, type RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { Call, TopicMap } from "#topics";

/** One call of the log, with its place. */
interface LoggedCall {
  readonly offset: number;
  readonly call: Call;
}

/** The calls topic as a log that can be asked and read again, one partition at a time. */
export interface CallsLog {
  /** The offset at which this service goes on; undefined when it has never committed. */
  committed(partition: number): Promise<number | undefined>;
  /** First offset still there, and the one that the next record will get. */
  bounds(partition: number): Promise<{ readonly low: number; readonly high: number }>;
  /** When the record at the offset was written (Unix ms); undefined when there is none yet. */
  timeAt(partition: number, offset: number, signal: AbortSignal): Promise<number | undefined>;
  /** First offset at or after a time. */
  offsetAt(partition: number, timeMs: number): Promise<number>;
  /** Reads [fromOffset, toOffset) in order, skipping what cannot be decoded. An error of `onCall` ends the reading. */
  read(options: {
    readonly partition: number;
    readonly fromOffset: number;
    readonly toOffset: number;
    /** Ends the reading, also while Kafka is away. */
    readonly signal: AbortSignal;
    onCall(call: LoggedCall): void | Promise<void>;
  }): Promise<void>;
}

export interface CallsLogParts {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Admin;
  readonly serde: Pick<Serde, "decode">;
  readonly topics: TopicMap;
  readonly groupId: string;
}

export function createCallsLog({ kafka, admin, serde, topics, groupId }: CallsLogParts): CallsLog {
  const topic = topics.calls.name;

  /**
   * Decodes a call. The result is there at once when the writer's schema is known, as it is for all but the
   * first of a million calls.
   */
  function callIn({ value }: RawRecord): Call | undefined | Promise<Call | undefined> {
    if (value === null) return undefined;
    try {
      const decoded = serde.decode(topics.calls, value);
      return decoded instanceof Promise ? decoded.catch(undefinedIfUndecodable) : decoded;
    } catch (error) {
      return undefinedIfUndecodable(error);
    }
  }

  return {
    committed: async (partition) => (await admin.committedOffsets(groupId, topic)).get(partition),
    bounds: async (partition) => atPartition(await admin.offsets(topic, partition), partition),
    async timeAt(partition, offset, signal) {
      let timeMs: number | undefined;
      await kafka.readRange({
        topic,
        partition,
        fromOffset: offset,
        toOffset: offset + 1,
        signal,
        onRecord({ timestampMs }) {
          timeMs = timestampMs;
        },
      });
      return timeMs;
    },
    async offsetAt(partition, timeMs) {
      return atPartition(await admin.offsetForTime(topic, timeMs, partition), partition).offset;
    },
    read: ({ onCall, ...range }) =>
      kafka.readRange({
        topic,
        ...range,
        onRecord(record) {
          const { offset } = record;
          const give = (call: Call | undefined) =>
            call === undefined ? undefined : onCall({ offset, call });
          const call = callIn(record);
          // A schema may not come for as long as the registry is away: the end of the reading does not wait for it.
          return call instanceof Promise ? orAborted(call, range.signal).then(give) : give(call);
        },
      }),
  };
}

/** Errors of the serde say by `canRetry: false` that the bytes are bad; others are thrown on. */
function undefinedIfUndecodable(error: unknown): undefined {
  if (typeof error === "object" && error !== null && "canRetry" in error && error.canRetry === false) return;
  throw error;
}
