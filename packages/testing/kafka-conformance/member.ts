import type {
  CommittedOffset,
  FetchedBatch,
  GroupAssigner,
  GroupAssignment,
  Join,
  JoinedMember,
  KafkaError,
  LogCut,
  Session,
  SessionOptions,
  TopicPartition,
} from "#kafka";
import type { ConformanceBench } from "./bench.ts";

/** Deals partition after partition to the members by their ids; keeps what the leader was called with them. */
class RoundRobin implements GroupAssigner {
  readonly told: string[][] = [];
  says: string;

  constructor(says: string) {
    this.says = says;
  }

  userData(): Buffer {
    return Buffer.from(this.says);
  }

  assign(members: readonly JoinedMember[], partitionCounts: ReadonlyMap<string, number>): GroupAssignment {
    this.told.push(members.map(({ userData }) => userData.toString()).sort());
    const readersOf = (topic: string) =>
      members.flatMap(({ id, topics }) => (topics.includes(topic) ? [id] : [])).sort();
    const shareOf = (id: string, topic: string, count: number) => {
      const readers = readersOf(topic);
      const partitions = Array.from({ length: count }, (_, partition) => partition);
      return partitions.filter((p) => readers[p % readers.length] === id);
    };
    return new Map(
      members.map(({ id }) => [
        id,
        {
          partitionsByTopic: new Map(
            Array.from(partitionCounts, ([topic, count]) => [topic, shareOf(id, topic, count)]),
          ),
          userData: Buffer.from(`for ${members.find((member) => member.id === id)?.userData.toString()}`),
        },
      ]),
    );
  }
}

/** A member of a group, with all that it was told. */
export class Member {
  readonly joins: Join[] = [];
  readonly batches: FetchedBatch[] = [];
  readonly crashes: KafkaError[] = [];
  readonly gone: unknown[] = [];
  readonly commitsRead: CommittedOffset[] = [];
  readonly cuts: LogCut[] = [];
  /** From when on it reads a log that was cut; undefined: all of it. */
  readsSinceMs: number | undefined;
  rebalances = 0;
  readonly answeredAtMs: number[] = [];
  readonly assigner: RoundRobin;
  readonly session: Session;
  readonly #held = Promise.withResolvers<void>();
  #heldAt: string | undefined;

  constructor(
    bench: ConformanceBench,
    options: Pick<SessionOptions, "groupId" | "topics"> &
      Partial<SessionOptions> & { readonly name?: string; readonly readsSinceMs?: number },
  ) {
    const { name = "member", readsSinceMs, ...rest } = options;
    this.readsSinceMs = readsSinceMs;
    this.assigner = new RoundRobin(name);
    const handlers = {
      onJoin: (join: Join) => void this.joins.push(join),
      onAnswered: () => void this.answeredAtMs.push(bench.nowMs()),
      onRebalancing: async () => {
        this.rebalances += 1;
      },
      onJoinFailed: () => undefined,
      onCommitsRead: (commits: readonly CommittedOffset[]) => void this.commitsRead.push(...commits),
      onLogCut: (cut: LogCut) => {
        this.cuts.push(cut);
        return this.readsSinceMs;
      },
      onRecordsGone: (gone: unknown) => void this.gone.push(gone),
      onBatch: (batch: FetchedBatch) => {
        this.batches.push(batch);
        const isHeld = batch.records.some(({ key }) => key === this.#heldAt);
        return isHeld ? this.#held.promise : undefined;
      },
      onCrash: (error: KafkaError) => void this.crashes.push(error),
    };
    const settings = {
      sessionTimeoutMs: 6_000,
      fetchPauseMs: () => 3,
      heartbeatMs: 500,
      rebalanceTimeoutMs: 10_000,
      assigner: this.assigner,
    };
    this.session = bench.cluster(name).newSession({ ...settings, ...rest }, handlers);
  }

  /** Its handler does not come back from the batch with this key, and so nothing else comes, until it is released. */
  holdAt(key: string): void {
    this.#heldAt = key;
  }

  release(): void {
    this.#heldAt = undefined;
    this.#held.resolve();
  }

  get assigned(): readonly TopicPartition[] {
    return this.joins.at(-1)?.assigned ?? [];
  }

  get partitions(): readonly number[] {
    return this.assigned.map(({ partition }) => partition).sort((a, b) => a - b);
  }

  get memberId(): string | undefined {
    return this.joins.at(-1)?.memberId;
  }

  /** Offsets of a partition in the order in which they came. */
  offsets(partition: number): number[] {
    return this.batches
      .filter((batch) => batch.partition === partition)
      .flatMap(({ records }) => records.map(({ offset }) => offset));
  }

  get keys(): (string | null)[] {
    return this.batches.flatMap(({ records }) => records.map(({ key }) => key));
  }
}

/** Joins a group, once: the first of all groups waits until the brokers can coordinate any. */
export async function joinOnce(bench: ConformanceBench): Promise<void> {
  const topic = await bench.topic(1);
  const joins = async (): Promise<boolean> => {
    try {
      await withMembers(
        bench,
        async (open) => void (await open({ groupId: bench.groupId(), topics: [topic] })),
      );
      return true;
    } catch {
      return false;
    }
  };
  await bench.until(joins, "the first group");
}

/** Opens sessions and stops them at the end of the fact. */
export async function withMembers(
  bench: ConformanceBench,
  work: (open: (options: ConstructorParameters<typeof Member>[1]) => Promise<Member>) => Promise<void>,
): Promise<void> {
  const members: Member[] = [];
  const open = async (options: ConstructorParameters<typeof Member>[1]): Promise<Member> => {
    const member = new Member(bench, options);
    members.push(member);
    await bench.settled(member.session.open());
    const [crash] = member.crashes;
    if (crash !== undefined) throw crash;
    return member;
  };
  try {
    await work(open);
  } finally {
    for (const member of members) member.release();
    for (const { session } of members) await bench.settled(session.stop());
  }
}

interface Group {
  readonly topic: string;
  readonly groupId: string;
  readonly open: (options?: Partial<ConstructorParameters<typeof Member>[1]>) => Promise<Member>;
}

/** The members read one new topic, of so many partitions, as one new group. */
export async function inGroup(
  bench: ConformanceBench,
  partitions: number,
  work: (group: Group) => Promise<void>,
): Promise<void> {
  const topic = await bench.topic(partitions);
  const groupId = bench.groupId();
  await withMembers(bench, (open) =>
    work({ topic, groupId, open: (options) => open({ groupId, topics: [topic], ...options }) }),
  );
}
