// Records that a partition's log has lost before its group was through with them: said once, and reading goes on behind them.
import type { RecordsLost } from "../runner-types.ts";
import type { LogCut, RecordsGone } from "../session.ts";
import type { KafkaLogger, TopicPartition } from "../types.ts";
import type { Place } from "./place.ts";

/** The largest difference expected between the clocks of the records' writers. */
const CLOCKS_APART_MS = 10_000;

interface LostRecordsParts {
  readonly logger: Pick<KafkaLogger, "error">;
  placeOf(
    partition: TopicPartition,
  ): { cut: Place["cut"]; readonly place: Pick<Place, "skipTo"> } | undefined;
  /** A place has moved without a record: it may be committed. */
  onMoved(): void;
  onLost(lost: RecordsLost): void;
}

export class LostRecords {
  readonly #parts: LostRecordsParts;

  constructor(parts: LostRecordsParts) {
    this.#parts = parts;
  }

  /** Records that were written since the cut are newer than what is done, but for clocks that differ. Returns since when, Unix ms. */
  cut(cut: LogCut): number | undefined {
    const { logger, onLost, placeOf } = this.#parts;
    const doneUntilMs = placeOf(cut)?.cut(cut.startOffset);
    // No batch will show where an empty log goes on.
    if (cut.startOffset === cut.endOffset) this.#skipTo(cut, cut.endOffset);
    const sinceMs = doneUntilMs === undefined ? undefined : Math.max(0, doneUntilMs - CLOCKS_APART_MS);
    const text = "a partition's log ends before what was read: its end was lost, and it is read again";
    logger.error({ ...cut, sinceMs }, text);
    const { endOffset, fromOffset, partition, topic } = cut;
    onLost({ topic, partition, records: fromOffset - endOffset, kind: "truncated" });
    return sinceMs;
  }

  /** They were removed before they were read. */
  gone({ topic, partition, fromOffset, toOffset }: RecordsGone): void {
    const lost = { topic, partition, records: toOffset - fromOffset };
    if (lost.records <= 0) return;
    this.#parts.logger.error({ ...lost, fromOffset, toOffset }, "records were removed before they were read");
    this.#skipTo(lost, toOffset);
    this.#parts.onLost({ ...lost, kind: "unread" });
  }

  #skipTo(partition: TopicPartition, offset: number): void {
    this.#parts.placeOf(partition)?.place.skipTo(offset);
    this.#parts.onMoved();
  }
}
