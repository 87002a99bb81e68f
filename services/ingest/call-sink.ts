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
  /** Resolves in a later turn of the event loop. */
  pause(): Promise<void>;
  /** Told of each failure to store. */
  onUnavailable(error: KafkaError): void;
}

function toRecord(sourceId: string, call: AcceptedCall, encode: CallSinkOptions["encode"]): CallRecord {
  const value = encode({ ...call, sourceId, body: Buffer.from(call.body) });
  return { key: callKey(sourceId, call), value };
}

/** Encoding megabytes takes several turns of the event loop, so that others' requests come in between. */
const CHARACTERS_A_TURN = 1_000_000;

/** One encode for each call and one send for each request. */
export function createCallSink({ encode, send, pause, onUnavailable }: CallSinkOptions): CallSink {
  async function encodeInTurns(sourceId: string, calls: readonly AcceptedCall[]): Promise<CallRecord[]> {
    const records: CallRecord[] = [];
    let characters = 0;
    for (const call of calls) {
      if (characters > CHARACTERS_A_TURN) {
        await pause();
        characters = 0;
      }
      characters += call.body.length;
      records.push(toRecord(sourceId, call, encode));
    }
    return records;
  }

  function encodeAll(sourceId: string, calls: readonly AcceptedCall[]): CallRecord[] | Promise<CallRecord[]> {
    // Their own bodies have 500 KB at most: only what is merged into many makes more.
    const isMuch = calls.length > 1 && (calls[0]?.body.length ?? 0) * calls.length > CHARACTERS_A_TURN;
    if (isMuch) return encodeInTurns(sourceId, calls);
    return calls.map((call) => toRecord(sourceId, call, encode));
  }

  return {
    async store(sourceId, calls) {
      const encoded = encodeAll(sourceId, calls);
      const records = "then" in encoded ? await encoded : encoded;
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
