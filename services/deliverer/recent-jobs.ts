/** 10,000 to 20,000 a partition are some seconds at full speed, which is how far a restarted router goes back; about 100 bytes each. */
const GENERATION_SIZE = 10_000;

interface PartitionJobs {
  /** In hand, with the doubles that wait for them; bounded by what the runner lets be outstanding. */
  readonly inHand: Map<string, (() => void)[]>;
  /** Ended and durable, in two generations: forgetting the older one whole is cheaper than the oldest one by one. */
  ended: Set<string>;
  endedBefore: Set<string>;
}

/**
 * Jobs that this process has taken in hand lately, so that a job that was emitted twice is sent once. A double ends with
 * the first and never before it: until the first one's outcome is durable, the double's record may be what brings the
 * job back after a crash.
 */
export class RecentJobs {
  readonly #partitions = new Map<number, PartitionJobs>();
  readonly #generationSize: number;

  /** Remembers at least this many ended jobs of each partition, at most twice as many. */
  constructor(generationSize: number = GENERATION_SIZE) {
    this.#generationSize = generationSize;
  }

  /** True: it is new and now in hand. False: it is a double; `end` is called when the first is durable, maybe at once. */
  enter(partition: number, key: string, end: () => void): boolean {
    const { inHand, ended, endedBefore } = this.#jobs(partition);
    if (ended.has(key) || endedBefore.has(key)) {
      end();
      return false;
    }
    const doubles = inHand.get(key);
    if (doubles === undefined) inHand.set(key, []);
    else doubles.push(end);
    return doubles === undefined;
  }

  /** What became of the job is durable. */
  durable(partition: number, key: string): void {
    const jobs = this.#jobs(partition);
    const doubles = jobs.inHand.get(key) ?? [];
    jobs.inHand.delete(key);
    jobs.ended.add(key);
    if (jobs.ended.size >= this.#generationSize) {
      jobs.endedBefore = jobs.ended;
      jobs.ended = new Set();
    }
    for (const end of doubles) end();
  }

  #jobs(partition: number): PartitionJobs {
    const known = this.#partitions.get(partition);
    if (known !== undefined) return known;
    const jobs: PartitionJobs = { inHand: new Map(), ended: new Set(), endedBefore: new Set() };
    this.#partitions.set(partition, jobs);
    return jobs;
  }
}
