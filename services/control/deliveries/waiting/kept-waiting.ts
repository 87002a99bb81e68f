// The records that may wait, as bytes: read once, and summed as often as somebody asks.
import { isGivenBySync } from "#contract";
import type { Host } from "#host";
import type { RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { DeliveryJob } from "#topics";
import { nextTurn } from "../../http/next-turn.ts";
import { isUndecodable } from "../../records/places/undecodable.ts";
import { NumberSet } from "./number-set.ts";
import type { Stretch, WaitingTopics } from "./stretches.ts";
import { NO_GROUP, type WaitingGroup, WaitingGroups } from "./waiting-groups.ts";
import { type KeptRecord, WaitingRecords } from "./waiting-records.ts";
import type { Wakes } from "./wakes.ts";

export interface WaitingCount extends WaitingGroup {
  readonly calls: number;
}

export interface KeptWaitingOptions extends Pick<WaitingTopics, "kafka" | "topics"> {
  readonly serde: Pick<Serde, "decodeFields">;
  readonly host: Pick<Host, "setImmediate">;
  /** Aborted at the end. */
  readonly signal: AbortSignal;
  readonly maxRecords: number;
}

const FIELDS = [
  ...(["jobId", "sourceId", "destinationId", "messageId", "userId", "anonymousId"] as const),
  ...(["type", "receivedAtMs", "replayId", "unaskedUrls"] as const),
] as const satisfies (keyof DeliveryJob)[];
type CountedJob = Pick<DeliveryJob, (typeof FIELDS)[number]>;

/** Summed in one turn, in which nothing else runs: some milliseconds. */
const TURN_RECORDS = 10_000;
/** Hex digits of a job's id that a number holds exactly: of four million jobs two are taken for one with a chance of 1 in 560. */
const DIGITS = 13;

export class KeptWaiting {
  readonly #options: KeptWaitingOptions;
  readonly #decode: (value: Buffer | null) => CountedJob | Promise<CountedJob>;
  readonly #groups = new WaitingGroups();
  #records = new Map<string, WaitingRecords>();

  constructor(options: KeptWaitingOptions) {
    this.#options = options;
    this.#decode = options.serde.decodeFields(options.topics.deliveryJobs, FIELDS);
  }

  /** Reads what is new in these stretches, and lets go of what is in none of them. False where there is too much. */
  async follow(stretches: readonly Stretch[]): Promise<boolean> {
    const before = this.#records;
    this.#records = new Map(stretches.map((stretch) => [nameOf(stretch), this.#cut(before, stretch)]));
    for (const [name, records] of before) if (!this.#records.has(name)) this.#drop(records);
    for (const stretch of stretches) if (!(await this.#read(stretch))) return false;
    return true;
  }

  /** Calls that wait. Of the copies of a job, which a deliverer leaves until it commits or when it dies, one counts. */
  async sum(stretches: readonly Stretch[], wakes: Wakes): Promise<WaitingCount[]> {
    const seen = new NumberSet(this.#size());
    const counts = new Map<number, number>();
    // A webhook has taken these calls: what waits is a request to another one. A copy that is behind does not wait either.
    for (const stretch of stretches)
      await this.#each(stretch, (job) => job.group === NO_GROUP && seen.add(job.job));
    for (const stretch of stretches) {
      const waits = this.#waitsIn(stretch, wakes);
      await this.#each(stretch, (record) => {
        const { group, job } = record;
        if (group === NO_GROUP || !waits(record) || !seen.add(job)) return;
        counts.set(group, (counts.get(group) ?? 0) + 1);
      });
    }
    return [...counts].flatMap(([number, calls]) => {
      const group = this.#groups.of(number);
      return group === undefined ? [] : [{ ...group, calls }];
    });
  }

  #size(): number {
    return [...this.#records.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** What is kept of the stretch; nothing where the log was cut, or where commits were lost, so that what was done before waits again. */
  #cut(
    before: ReadonlyMap<string, WaitingRecords>,
    { place, toOffset, ...stretch }: Stretch,
  ): WaitingRecords {
    const records = before.get(nameOf({ place, ...stretch }));
    if (records === undefined) return new WaitingRecords(place.offset);
    if (records.nextOffset > toOffset || records.firstOffset > place.offset) {
      this.#drop(records);
      return new WaitingRecords(place.offset);
    }
    records.dropBefore(place.offset, (group) => this.#groups.drop(group));
    return records;
  }

  #drop(records: WaitingRecords): void {
    records.dropBefore(Number.POSITIVE_INFINITY, (group) => this.#groups.drop(group));
  }

  /** False where there is more in it than there is room for. */
  async #read(stretch: Stretch): Promise<boolean> {
    const { kafka, maxRecords, signal } = this.#options;
    const { place, topicName } = stretch;
    const records = this.#records.get(nameOf(stretch));
    if (records === undefined) return true;
    const { nextOffset: fromOffset } = records;
    const toOffset = Math.min(stretch.toOffset, fromOffset + maxRecords - this.#size());
    // A range without a record still asks Kafka where the log begins and ends.
    if (fromOffset >= toOffset) return toOffset === stretch.toOffset;
    const onRecord = (record: RawRecord): void | Promise<void> => this.#take(records, record);
    const read = { topic: topicName, partition: place.partition, fromOffset, toOffset, signal, onRecord };
    await kafka.readRange(read);
    records.nextOffset = Math.max(records.nextOffset, toOffset);
    return toOffset === stretch.toOffset;
  }

  /** A promise only where a schema is not known yet. */
  #take(records: WaitingRecords, record: RawRecord): void | Promise<void> {
    const add = (job: CountedJob | undefined): void => {
      records.nextOffset = record.offset + 1;
      if (job !== undefined && isCounted(job)) records.add(this.#keptOf(record, job));
    };
    const failed = (error: unknown): void => {
      if (!isUndecodable(error)) throw error;
      add(undefined);
    };
    if (record.value === null) return;
    try {
      const decoded = this.#decode(record.value);
      return decoded instanceof Promise ? decoded.then(add, failed) : add(decoded);
    } catch (error) {
      failed(error);
    }
  }

  #keptOf({ offset, timestampMs }: RawRecord, job: CountedJob): KeptRecord {
    const group = job.unaskedUrls.length > 0 ? NO_GROUP : this.#groups.take(job);
    return { offset, timestampMs, group, job: Number.parseInt(job.jobId.slice(0, DIGITS), 16) };
  }

  async #each({ place, ...stretch }: Stretch, work: (record: KeptRecord) => void): Promise<void> {
    const records = this.#records.get(nameOf({ place, ...stretch }));
    let inTurn = 0;
    for (const some of records?.from(place.offset) ?? []) {
      for (const record of some) work(record);
      inTurn += some.length;
      if (inTurn < TURN_RECORDS) continue;
      inTurn = 0;
      await nextTurn(this.#options.host);
    }
  }

  #waitsIn({ isDone, place, topicName }: Stretch, wakes: Wakes): (record: KeptRecord) => boolean {
    const at = { topic: topicName, partition: place.partition };
    const takenOf = new Map<number, ReturnType<Wakes["takenIn"]>>();
    return (record) => {
      const { group } = record;
      if (!takenOf.has(group))
        takenOf.set(group, wakes.takenIn(this.#groups.of(group)?.destinationId ?? "", at));
      return !isDone(record) && takenOf.get(group)?.(record) !== true;
    };
  }
}

function nameOf({ place, topicName }: Pick<Stretch, "place" | "topicName">): string {
  return `${topicName}-${place.partition}`;
}

/** Replays do not count, and neither do calls that a destination is given when it is connected: routers have sent neither. */
function isCounted(job: CountedJob): boolean {
  return job.replayId === null && !isGivenBySync(job.jobId, job, job.destinationId);
}
