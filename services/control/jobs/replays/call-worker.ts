// Works through one replay of calls: reads its topic from where the replay's record says it is, and writes jobs of what is meant. What
// was written is durable before the cursor passes it: a crash repeats at most the calls of one progress interval, under the same job ids.
import type { Kafka, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import { type DeliveryJob, deliveryKey, type ReplayStretch } from "#topics";
import { type CallReplay, CannotGoOn, isMissing, isOfOneCall, stretchesLeft } from "./call-selection.ts";
import { type Candidates, type CandidateWork, type Judged, openCandidates } from "./candidates.ts";
import type { CallReplayParts } from "./parts.ts";
import { createSaving, end, paceNow, type SendingWork } from "./progress.ts";

export interface CallReplayWork extends SendingWork, CandidateWork {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly serde: Pick<Serde, "encode" | "decode">;
  readonly callStretches: CallReplayParts["callStretches"];
  /** Resolves when routers have done with all calls that there are at the call. */
  untilRouted(signal: AbortSignal): Promise<void>;
}

/** Also where nothing of what is read is meant, somebody who cancels is heard, and the cursor moves. */
const LOOK_EVERY_MS = 1_000;

/** Resolves when the replay has ended, also as one that cannot be done, or with `signal`. */
export async function workOnCalls(
  given: CallReplay,
  work: CallReplayWork,
  signal: AbortSignal,
): Promise<void> {
  const begun = await withRouted(given, work, signal);
  let replaying: CallReplaying | undefined;
  try {
    const candidates = await openCandidates(begun, work, signal);
    replaying = new CallReplaying(begun, { work, candidates, signal });
    await replaying.run();
  } catch (error) {
    if (!(error instanceof CannotGoOn)) throw error;
    const ended = { state: "cancelled", error: error.message, updatedAtMs: work.nowMs() };
    await work.store.put({ ...(replaying?.replay ?? begun), ...ended });
  }
}

/** A change is in force after one second (contract 10.1): until then routers go by the version before. */
const IN_FORCE_MS = 2_000;

/**
 * Missing calls of a replay that begins, up to the last one that routers have done with by a version before the change that it was asked for
 * after. Of later ones those that the destination was sent are not missing.
 */
async function withRouted(begun: CallReplay, work: CallReplayWork, signal: AbortSignal): Promise<CallReplay> {
  if (!isMissing(begun) || begun.cursor !== null) return begun;
  await work.host.delay(IN_FORCE_MS, signal);
  await work.untilRouted(signal);
  const stretches = await work.callStretches(begun.fromMs ?? undefined);
  return { ...begun, calls: { ...begun.calls, stretches } };
}

interface ReplayingParts {
  readonly work: CallReplayWork;
  readonly candidates: Candidates;
  readonly signal: AbortSignal;
}

class CallReplaying {
  readonly #parts: ReplayingParts;
  readonly #save: ReturnType<typeof createSaving>;
  /** Ends the reading before its end. */
  readonly #enough = new AbortController();
  #replay: CallReplay;
  /** Meant, and not written yet. */
  #jobs: DeliveryJob[] = [];
  #deleted = 0;
  /** Records that nobody has read, those of others too. */
  #expired = 0;
  #skipped = 0;
  /** By the owner before, in vain as far as the replay's record says. */
  #written = 0;
  #steppedAtMs: number;

  constructor(begun: CallReplay, parts: ReplayingParts) {
    this.#parts = parts;
    this.#replay = begun;
    this.#save = createSaving(begun, parts.work);
    this.#steppedAtMs = parts.work.host.elapsed();
  }

  /** As far as it is. */
  get replay(): CallReplay {
    return this.#replay;
  }

  async run(): Promise<void> {
    const { signal, work } = this.#parts;
    try {
      for (const stretch of stretchesLeft(this.#replay)) {
        if (this.#enough.signal.aborted || signal.aborted) break;
        await this.#read(stretch);
      }
      if (!signal.aborted) await end(this.#replay, work);
    } finally {
      // Somebody else goes on: what was sent shall not be sent again.
      if (signal.aborted) await this.#save.now(this.#replay);
    }
  }

  async #read({ partition, fromOffset, toOffset }: ReplayStretch): Promise<void> {
    const { candidates, signal, work } = this.#parts;
    const ending = AbortSignal.any([signal, this.#enough.signal]);
    const onRecord = (record: RawRecord): Promise<void> | undefined => this.#take(record);
    const onRemoved = (records: number): void => {
      this.#expired += records;
    };
    const range = { topic: candidates.topicName, partition, fromOffset, toOffset, signal: ending };
    try {
      await work.kafka.readRange({ ...range, onRecord, onRemoved });
      await this.#step({ partition, offset: toOffset - 1 });
    } catch (error) {
      if (!ending.aborted) throw error;
    }
  }

  /** At once for records of others, which in a shared partition are most. */
  #take(record: RawRecord): Promise<void> | undefined {
    const { value } = record;
    const isOurs = value !== null && this.#parts.candidates.isOurs(record);
    return isOurs ? this.#judge({ ...record, value }) : this.#afterRecord(record);
  }

  #afterRecord(record: RawRecord): Promise<void> | undefined {
    const { host } = this.#parts.work;
    const isDue = host.elapsed() - this.#steppedAtMs >= LOOK_EVERY_MS;
    const isFull = this.#jobs.length >= paceNow(this.#replay, this.#parts.work).calls;
    return isDue || isFull ? this.#step(record) : undefined;
  }

  async #judge(record: RawRecord & { readonly value: Buffer }): Promise<void> {
    this.#collect(await this.#parts.candidates.judge(record));
    await this.#afterRecord(record);
    if (this.#jobs.length > 0 && isOfOneCall(this.#replay)) {
      await this.#step(record);
      this.#enough.abort();
    }
  }

  #collect(judged: Judged): void {
    switch (judged.kind) {
      case "meant":
        this.#jobs.push(judged.job);
        return;
      case "deleted":
        this.#deleted += 1;
        return;
      case "unclear":
        this.#skipped += 1;
        return;
      case "written":
        this.#written += 1;
        return;
      case "not_meant":
        return;
    }
  }

  /** Writes what was collected, then passes the place, then keeps to the pace. */
  async #step({ partition, offset }: Pick<RawRecord, "partition" | "offset">): Promise<void> {
    const { signal, work } = this.#parts;
    const { id } = this.#replay;
    if (work.store.isCancelled(id)) this.#enough.abort();
    if (this.#enough.signal.aborted || signal.aborted) return;
    const jobs = this.#jobs;
    if (jobs.length > 0) await this.#write(jobs);
    const sent = jobs.length + this.#written;
    this.#replay = {
      ...this.#replay,
      matched: this.#replay.matched + sent + this.#deleted,
      replayed: this.#replay.replayed + sent,
      deleted: this.#replay.deleted + this.#deleted,
      skipped: this.#replay.skipped + this.#skipped,
      expired: this.#replay.expired + this.#expired,
      cursor: `${partition}:${offset}`,
      updatedAtMs: work.nowMs(),
    };
    this.#jobs = [];
    [this.#deleted, this.#skipped, this.#written, this.#expired] = [0, 0, 0, 0];
    await this.#save.sometimes(this.#replay);
    await this.#rest(jobs.length);
  }

  async #write(jobs: readonly DeliveryJob[]): Promise<void> {
    const { serde, topic, onReplayed, write } = this.#parts.work;
    await write(
      jobs.map((job) => ({ topic: topic.name, key: deliveryKey(job), value: serde.encode(topic, job) })),
    );
    onReplayed(jobs.length);
  }

  async #rest(written: number): Promise<void> {
    const { signal, work } = this.#parts;
    const { calls, everyMs } = paceNow(this.#replay, work);
    const leftMs = (everyMs * written) / calls - (work.host.elapsed() - this.#steppedAtMs);
    if (leftMs > 0) await work.host.delay(leftMs, signal).catch(() => undefined);
    this.#steppedAtMs = work.host.elapsed();
  }
}
