import type { AcceptedCall } from "#contract";
import { KafkaError } from "#kafka";
import { type Call, callKey } from "#topics";
import type { CallSink } from "./ingest-parts.ts";

/** One record of the calls topic, ready to be sent. */
interface CallRecord {
  readonly key: string;
  readonly value: Buffer;
}

export interface CallSinkOptions {
  encode(call: Call): Buffer;
  /** Resolves when all records are acknowledged; rejects with a KafkaError when that is not certain in time. */
  send(records: readonly CallRecord[]): Promise<void>;
  /** Told of each failure to store. */
  onUnavailable(error: KafkaError): void;
}

function toRecord(sourceId: string, call: AcceptedCall, encode: CallSinkOptions["encode"]): CallRecord {
  const value = encode({ ...call, sourceId, body: Buffer.from(call.body) });
  return { key: callKey(sourceId, call), value };
}

/** One encode for each call and one send for each request. */
export function createCallSink({ encode, send, onUnavailable }: CallSinkOptions): CallSink {
  return {
    async store(sourceId, calls) {
      const records = calls.map((call) => toRecord(sourceId, call, encode));
      try {
        await send(records);
        return "stored";
      } catch (error) {
        if (!(error instanceof KafkaError)) throw error;
        onUnavailable(error);
        return "unavailable";
      }
    },
  };
}
