import type { AcceptedCall } from "#contract";
import { WorkInTurns } from "#host";
import { KafkaError, type RecordHeaders } from "#kafka";
import { type Call, callKey } from "#topics";
import type { CallSink } from "../ingest-parts.ts";
import { BYTES_A_TURN } from "../limits/bytes-a-turn.ts";
import type { KafkaWatch } from "./kafka-watch.ts";

/** One record of the calls topic, ready to be sent. */
interface CallRecord {
  readonly key: string;
  readonly value: Buffer;
}

export interface CallSinkOptions {
  encode(call: Call): Buffer;
  /** Resolves when all records are acknowledged; rejects with a KafkaError when that is not certain in time. */
  send(records: readonly CallRecord[], headers: RecordHeaders | undefined): Promise<void>;
  /** Resolves in a later turn of the event loop. */
  pause(): Promise<void>;
  /** Is told what became of each request. */
  readonly watch: Pick<KafkaWatch, "begin" | "failed" | "stored">;
}

function toRecord(sourceId: string, call: AcceptedCall, encode: CallSinkOptions["encode"]): CallRecord {
  const value = encode({ ...call, sourceId, body: Buffer.from(call.body) });
  return { key: callKey(sourceId, call), value };
}

/** One encode for each call and one send for each request. Large ones are encoded in several turns of the event loop. */
export function createCallSink({ encode, send, pause, watch }: CallSinkOptions): CallSink {
  async function encodeInTurns(sourceId: string, calls: readonly AcceptedCall[]): Promise<CallRecord[]> {
    const records: CallRecord[] = [];
    const work = new WorkInTurns({ pause, bytesATurn: BYTES_A_TURN });
    for (const call of calls) {
      const later = work.begin(call.body.length);
      if (later !== undefined) await later;
      records.push(toRecord(sourceId, call, encode));
    }
    return records;
  }

  function encodeAll(sourceId: string, calls: readonly AcceptedCall[]): CallRecord[] | Promise<CallRecord[]> {
    let characters = 0;
    for (const { body } of calls) characters += body.length;
    if (characters > BYTES_A_TURN) return encodeInTurns(sourceId, calls);
    return calls.map((call) => toRecord(sourceId, call, encode));
  }

  return {
    async store(sourceId, calls, headers) {
      const encoded = encodeAll(sourceId, calls);
      const records = "then" in encoded ? await encoded : encoded;
      const beganAtMs = watch.begin();
      try {
        await send(records, headers);
        watch.stored(beganAtMs);
        return "stored";
      } catch (error) {
        if (!(error instanceof KafkaError)) throw error;
        watch.failed(error, beganAtMs);
        return "unavailable";
      }
    },
  };
}
