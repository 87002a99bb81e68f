/** 10,000 to 20,000 a partition are some seconds at full speed, which is how far a restarted router goes back; about 100 bytes each. */
const SET_SIZE = 10_000;

/** A record of a job that another record has brought in hand. */
export interface Duplicate {
  /** The job's outcome is durable. */
  end(): void;
  /** Nobody worked on the job. */
  giveBack(): void;
}

interface PartitionJobs {
  /** Jobs in hand, with the duplicates that wait for them; bounded by what the runner lets be outstanding. */
  readonly inHand: Map<string, Duplicate[]>;
  /** Ended and durable, in two sets: forgetting the older set whole is cheaper than the oldest jobs one by one. */
  ended: Set<string>;
  endedBefore: Set<string>;
  /** The time at which `age` first saw the newer set. */
  sinceMs: number | undefined;
}

/**
 * Jobs that this process has taken in hand lately, so that a job that was emitted twice is sent once. A duplicate ends with
 * the first and never before it: until the first one's outcome is durable, the duplicate's record may be what brings the
 * job back after a crash.
 */
export class RecentJobs {
  readonly #partitions = new Map<number, PartitionJobs>();
  readonly #setSize: number;

  /** Remembers at least this many ended jobs of each partition, at most twice as many. */
  constructor(setSize: number = SET_SIZE) {
    this.#setSize = setSize;
  }

  /**
   * True: it is in hand or has ended lately; the duplicate ends with it, maybe at once. For a job that is only to hop on: one that
   * was woken meanwhile must not live on as its hop.
   */
  join(partition: number, key: string, duplicate: Duplicate): boolean {
    const { inHand, ended, endedBefore } = this.#jobs(partition);
    const hasEnded = ended.has(key) || endedBefore.has(key);
    const duplicates = inHand.get(key);
    if (hasEnded) duplicate.end();
    else duplicates?.push(duplicate);
    return hasEnded || duplicates !== undefined;
  }

  /** True: it is new and now in hand. False: it is a duplicate, and ends with the first, maybe at once. */
  enter(partition: number, key: string, duplicate: Duplicate): boolean {
    if (this.join(partition, key, duplicate)) return false;
    this.#jobs(partition).inHand.set(key, []);
    return true;
  }

  /** Ends a job: its outcome is durable. */
  durable(partition: number, key: string): void {
    const jobs = this.#jobs(partition);
    jobs.ended.add(key);
    if (jobs.ended.size >= this.#setSize) startSet(jobs);
    this.unsent(partition, key);
  }

  /**
   * Its outcome is durable, and nothing was sent because its destination is off. Duplicates end with it; one that comes later is a job of its own:
   * the destination may be on by then, and is given under the same id what it has missed.
   */
  unsent(partition: number, key: string): void {
    for (const duplicate of this.#letGo(this.#jobs(partition), key)) duplicate.end();
  }

  /**
   * The job waits, durably, and comes again under the same key: it is not to be taken for one that has ended. A duplicate may be the very
   * record that it waits in, read before its acknowledgement had come: none ends by this.
   */
  putOff(partition: number, key: string): void {
    this.givenBack(partition, key);
  }

  /** The job is in nobody's hand any more, and has not ended. */
  givenBack(partition: number, key: string): void {
    for (const duplicate of this.#letGo(this.#jobs(partition), key)) duplicate.giveBack();
  }

  /**
   * Forgets ended jobs after one to two times `keptMs`, whether others come or not. Call it from time to
   * time.
   */
  age(nowMs: number, keptMs: number): void {
    for (const [partition, jobs] of this.#partitions) {
      jobs.sinceMs ??= nowMs;
      if (nowMs - jobs.sinceMs < keptMs) continue;
      startSet(jobs);
      jobs.sinceMs = nowMs;
      if (jobs.inHand.size === 0 && jobs.endedBefore.size === 0) this.#partitions.delete(partition);
    }
  }

  #letGo({ inHand }: PartitionJobs, key: string): readonly Duplicate[] {
    const duplicates = inHand.get(key) ?? [];
    inHand.delete(key);
    return duplicates;
  }

  #jobs(partition: number): PartitionJobs {
    const known = this.#partitions.get(partition);
    if (known !== undefined) return known;
    const jobs: PartitionJobs = {
      inHand: new Map(),
      ended: new Set(),
      endedBefore: new Set(),
      sinceMs: undefined,
    };
    this.#partitions.set(partition, jobs);
    return jobs;
  }
}

function startSet(jobs: PartitionJobs): void {
  jobs.endedBefore = jobs.ended;
  jobs.ended = new Set();
  jobs.sinceMs = undefined;
}
