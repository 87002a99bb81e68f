import type kafkajs from "kafkajs";
import { recordsFrom } from "../records-from.ts";
import type { RawRecord, RecordHeaders, TopicPartition } from "../types.ts";
import type { DecodedMessage } from "./fetch-protocol.ts";

/** Our decoder's records, from the offset asked for on (a broker answers with whole batches), or the client's messages. */
export function recordsOf(batch: kafkajs.Batch): readonly RawRecord[] {
  const { messages, fetchedOffset } = batch as kafkajs.Batch & { readonly fetchedOffset: string };
  const [only] = messages as readonly Partial<DecodedMessage>[];
  if (only?.records === undefined) return messages.map((message) => toRecord(batch, message));
  return recordsFrom(only.records, Number(fetchedOffset));
}

function toRecord({ topic, partition }: TopicPartition, message: kafkajs.KafkaMessage): RawRecord {
  return {
    topic,
    partition,
    offset: Number(message.offset),
    key: message.key === null ? null : message.key.toString(),
    value: message.value,
    timestampMs: Number(message.timestamp),
    ...headersOf(message),
  };
}

function headersOf({ headers = {} }: kafkajs.KafkaMessage): { readonly headers?: RecordHeaders } {
  const entries = Object.entries(headers).map(([name, value]) => {
    const last = Array.isArray(value) ? value.at(-1) : value;
    return [name, String(last ?? "")] as const;
  });
  return entries.length === 0 ? {} : { headers: new Map(entries) };
}
