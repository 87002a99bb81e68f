import type { AcceptedCall } from "#contract";
import type { Logger } from "#runtime";
import { type Call, callKey } from "#topics";
import type { CallSink } from "./request-handler.ts";

/** One record of the calls topic, ready to be sent. */
export interface CallRecord {
  readonly key: string;
  readonly value: Buffer;
}

export interface CallSinkOptions {
  encode(call: Call): Buffer;
  /** Resolves when all records are acknowledged. */
  send(records: readonly CallRecord[]): Promise<void>;
  readonly logger: Logger;
}

/** A sink that also knows whether Kafka takes calls. */
export interface ObservedCallSink extends CallSink {
  /** Since when nothing could be stored (Unix ms), or undefined when the last attempt succeeded. */
  readonly failingSinceMs: number | undefined;
  /** Kafka answers again, as was found out by other means. */
  recovered(): void;
}

function toRecord(sourceId: string, call: AcceptedCall, encode: CallSinkOptions["encode"]): CallRecord {
  const value = encode({ ...call, sourceId, body: Buffer.from(call.body) });
  return { key: callKey(sourceId, call), value };
}

/** One encode for each call and one send for each request. Says once that storing fails, and once that it works again. */
export function createCallSink({ encode, send, logger }: CallSinkOptions): ObservedCallSink {
  let failingSinceMs: number | undefined;

  function recovered(): void {
    if (failingSinceMs === undefined) return;
    logger.info({ failingSinceMs }, "calls are stored again");
    failingSinceMs = undefined;
  }

  return {
    async store(sourceId, calls) {
      const records = calls.map((call) => toRecord(sourceId, call, encode));
      try {
        await send(records);
      } catch (error) {
        if (failingSinceMs === undefined) {
          failingSinceMs = Date.now();
          logger.warn({ err: error }, "calls cannot be stored; requests get 503 until they can");
        }
        throw error;
      }
      recovered();
    },
    get failingSinceMs() {
      return failingSinceMs;
    },
    recovered,
  };
}
