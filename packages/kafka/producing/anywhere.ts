import { KafkaError } from "../errors.ts";
import type { OutgoingRecord, ProducerOptions } from "../types.ts";

type Send = (records: readonly OutgoingRecord[], timeoutMs: number) => Promise<void>;

/**
 * After this time a record goes to another partition than its own. What waits for it has a place among 2,000 until then: with one of twelve
 * partitions away 4,400 such records a second go on, with one of three 800.
 */
const ELSEWHERE_AFTER_MS = 5_000;

/** Records that are of use in any partition are sent again without their keys where theirs does not take them. */
export function sendInTime(
  records: readonly OutgoingRecord[],
  { anyPartition, deliveryTimeoutMs }: Pick<Required<ProducerOptions>, "anyPartition" | "deliveryTimeoutMs">,
  send: Send,
): Promise<void> {
  const isAnywhere = records.every(({ topic }) => anyPartition.includes(topic));
  return isAnywhere ? sendAnywhere(records, send) : send(records, deliveryTimeoutMs);
}

async function sendAnywhere(records: readonly OutgoingRecord[], send: Send): Promise<void> {
  for (let left = records; ; left = left.map((record) => ({ ...record, key: null }))) {
    try {
      return await send(left, ELSEWHERE_AFTER_MS);
    } catch (thrown) {
      if (!(thrown instanceof KafkaError && thrown.code === "delivery_timeout")) throw thrown;
    }
  }
}
