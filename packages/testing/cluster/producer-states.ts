import type { BatchProducer } from "#kafka";
import { ClusterError } from "./errors.ts";

interface ProducerState {
  readonly epoch: number;
  /** Of this epoch, in order. */
  readonly batches: readonly TakenBatch[];
}

interface TakenBatch {
  /** Of its first record. */
  readonly offset: number;
  readonly sequence: number;
  /** That the next batch must have. */
  readonly next: number;
}

/** As the broker's producer state: it knows a batch again when it is one of the last five. */
const BATCHES_KNOWN = 5;

/** What a partition's leader knows of the producers that have ids. It forgets none: a run is shorter than a day. */
export class ProducerStates {
  readonly #byId = new Map<string, ProducerState>();

  /** Returns whether the batch was taken before. Throws when it is refused. */
  isKnown(producer: BatchProducer): boolean {
    const state = this.#byId.get(producer.id);
    if (state === undefined) return false;
    if (producer.epoch < state.epoch) throw ClusterError.refused("INVALID_PRODUCER_EPOCH");
    const taken = producer.epoch === state.epoch ? state.batches : [];
    if (taken.slice(-BATCHES_KNOWN).some(({ sequence }) => sequence === producer.sequence)) return true;
    const next = taken.at(-1)?.next ?? 0;
    if (producer.sequence !== next) throw ClusterError.refused("OUT_OF_ORDER_SEQUENCE_NUMBER");
    return false;
  }

  /** Called when the batch is written. */
  taken({ id, epoch, sequence }: BatchProducer, offset: number, records: number): void {
    const state = this.#byId.get(id);
    const before = state?.epoch === epoch ? state.batches : [];
    this.#byId.set(id, { epoch, batches: [...before, { offset, sequence, next: sequence + records }] });
  }

  /** The log has lost what it held from the offset on. A producer of which nothing is left is not known any more. */
  loseFrom(offset: number): void {
    for (const [id, { batches, epoch }] of this.#byId) {
      const left = batches.filter((batch) => batch.offset < offset);
      if (left.length > 0) this.#byId.set(id, { epoch, batches: left });
      else this.#byId.delete(id);
    }
  }
}
