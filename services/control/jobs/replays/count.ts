// How many calls a replay of calls would send, without sending any.
import type { Kafka, RawRecord } from "#kafka";
import { type DryRun, dryRun } from "../../http/dry-run.ts";
import { type CallReplay, CannotGoOn, recordsOf } from "./call-selection.ts";
import { type Candidates, type CandidateWork, openCandidates } from "./candidates.ts";

export interface CountWork extends CandidateWork {
  readonly kafka: Pick<Kafka, "readRange">;
}

/** Looks as long as `signal` lets it. Reads the records that the replay would read, and judges each as it would. */
export async function countCalls(replay: CallReplay, work: CountWork, signal: AbortSignal): Promise<DryRun> {
  const counting = new Counting(replay, work);
  try {
    await counting.run(signal);
    return counting.end(true);
  } catch (error) {
    // Also where there are too many to tell which of them are meant.
    if (!signal.aborted && !(error instanceof CannotGoOn)) throw error;
    return counting.end(false);
  }
}

class Counting {
  readonly #replay: CallReplay;
  readonly #work: CountWork;
  #calls = 0;
  #recordsRead = 0;
  #skipped = 0;

  constructor(replay: CallReplay, work: CountWork) {
    this.#replay = replay;
    this.#work = work;
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const candidates = await openCandidates(this.#replay, this.#work, signal);
    for (const { partition, fromOffset, toOffset } of this.#replay.calls.stretches) {
      const onRecord = (record: RawRecord): Promise<void> | undefined => {
        this.#recordsRead += 1;
        const { value } = record;
        const isOurs = value !== null && candidates.isOurs(record);
        return isOurs ? this.#judge(candidates, { ...record, value }) : undefined;
      };
      const topic = candidates.topicName;
      await this.#work.kafka.readRange({ topic, partition, fromOffset, toOffset, signal, onRecord });
    }
  }

  end(isComplete: boolean): DryRun {
    const recordsToRead = recordsOf(this.#replay.calls.stretches);
    const read = { skipped: this.#skipped, recordsRead: this.#recordsRead, recordsToRead };
    return dryRun(this.#calls, { isComplete, ...read });
  }

  async #judge(candidates: Candidates, record: RawRecord & { readonly value: Buffer }): Promise<void> {
    const { kind } = await candidates.judge(record);
    if (kind === "unclear") this.#skipped += 1;
    if (kind === "meant") this.#calls += 1;
  }
}
