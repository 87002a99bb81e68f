import type { FetchedBatch, Join, KafkaError, TopicPartition } from "#kafka";

/** Who is told what a session does; the product's, with the generation in which things happen. */
export interface ConsumerHandlers {
  onJoin(join: Join & { readonly generation: number }): void;
  onAnswered(askedAtMs: number): void;
  onRebalancing(): void | Promise<void>;
  onJoinFailed?(): void;
  onBatch(batch: FetchedBatch & { readonly generation: number }): void | Promise<void>;
  onRecordsGone?(gone: TopicPartition & { readonly fromOffset: number; readonly toOffset: number }): void;
  onCrash(error: KafkaError): void;
}
