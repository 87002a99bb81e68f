// What it costs to read records into control's index, without Kafka.
import type { OutgoingRecord } from "#kafka";
import type { Serde } from "#serde";
import type { RecordName, Topic } from "#topics";
import type { DeliveryIndex } from "../../services/control/deliveries/index/delivery-index.ts";
import type { Indexed, IndexedRecords } from "../../services/control/deliveries/index/indexed.ts";
import { cpuSeconds } from "./cpu.ts";

/** As control takes them from a fetch. */
const STRETCH = 500;

/** CPU time in microseconds, for each of `count`. */
export async function cpuOf(count: number, work: () => void | Promise<void>): Promise<number> {
  const before = cpuSeconds();
  await work();
  return ((cpuSeconds() - before) * 1e6) / count;
}

export const middleOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

interface Reading<K extends Indexed> {
  readonly index: DeliveryIndex;
  readonly serde: Serde;
  readonly kind: K;
  readonly topic: Topic<RecordName>;
}

export async function indexRecords<K extends Indexed>(
  { index, serde, kind, topic }: Reading<K>,
  records: readonly OutgoingRecord[],
): Promise<void> {
  for (let at = 0; at < records.length; at += STRETCH) {
    const stretch = records.slice(at, at + STRETCH);
    const entries = await Promise.all(
      stretch.map(async ({ value }, place) => ({
        partition: 0,
        offset: at + place,
        record: (await serde.decode(topic, value)) as IndexedRecords[K],
      })),
    );
    index.apply({ kind, partition: 0, entries, nextOffset: at + stretch.length, epoch: index.epoch });
  }
}
