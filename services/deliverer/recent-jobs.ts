/** 20,000 a partition are some seconds at full speed, which is how far a restarted router goes back; about 150 bytes each. */
const MAX_PER_PARTITION = 20_000;

interface PartitionJobs {
  /** In hand, with the doubles that wait for them; bounded by what the runner lets be outstanding. */
  readonly inHand: Map<string, (() => void)[]>;
  /** Ended and durable, oldest first. */
  readonly ended: Set<string>;
}

/**
 * Jobs that this process has taken in hand lately, so that a job that was emitted twice is sent once. A double ends with
 * the first and never before it: until the first one's outcome is durable, the double's record may be what brings the
 * job back after a crash.
 */
export class RecentJobs {
  readonly #partitions = new Map<number, PartitionJobs>();
  readonly #maxPerPartition: number;

  constructor(maxPerPartition: number = MAX_PER_PARTITION) {
    this.#maxPerPartition = maxPerPartition;
  }

  /** True: it is new and now in hand. False: it is a double; `end` is called when the first is durable, maybe at once. */
  enter(partition: number, key: string, end: () => void): boolean {
    const { inHand, ended } = this.#jobs(partition);
    if (ended.has(key)) {
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
    const { inHand, ended } = this.#jobs(partition);
    const doubles = inHand.get(key) ?? [];
    inHand.delete(key);
    ended.add(key);
    if (ended.size > this.#maxPerPartition) ended.delete(ended.values().next().value ?? key);
    for (const end of doubles) end();
  }

  #jobs(partition: number): PartitionJobs {
    const known = this.#partitions.get(partition);
    if (known !== undefined) return known;
    const jobs: PartitionJobs = { inHand: new Map(), ended: new Set() };
    this.#partitions.set(partition, jobs);
    return jobs;
  }
}
