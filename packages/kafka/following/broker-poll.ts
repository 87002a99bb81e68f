import type { Host } from "#host";
import type { FetchClient, PollClient, Polled, PollWait, Wanted } from "../cluster.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import type { Shutdown } from "../shutdown.ts";
import { keyOf } from "../topic-partition.ts";
import { withinMs } from "../within.ts";
import type { FollowedPartition } from "./followed-partition.ts";

/** The longest wait of a request at its broker while nothing comes. */
const MAX_WAIT_MS = 5_000;
/** A partition that is added ends a longer wait, at the cost of a connection. */
const ADDED_WAITS_MS = 250;
/**
 * The same after one was added: a process that starts follows one topic after another. The wait grows with the time since the last one, so the
 * next one waits a quarter as long as it took to come, and a start costs some 20 requests.
 */
const SETTLING = { atLeastMs: 25, share: 0.25 };
/**
 * The longest wait of a poll for the work on its last answer, so that one request asks for all. After it the
 * other partitions go on.
 */
const WORK_WAIT_MS = 50;
/** A partition that is due within this time is waited for. */
const GATHERED_MS = 5;

export interface BrokerPollParts {
  readonly client: Pick<PollClient, "poll">;
  readonly range: Pick<FetchClient, "bounds">;
  readonly host: Host;
  readonly ending: Shutdown;
}

/** A partition is not read here any more: its leader is to be looked up. */
type OnLost = (error: KafkaError) => void;

/** All that one broker leads of what is followed, in one request at a time. Runs while there is any. */
export class BrokerPoll {
  readonly #broker: number;
  readonly #parts: BrokerPollParts;
  /** Partitions in the order of the next request. */
  readonly #partitions = new Map<FollowedPartition, OnLost>();
  #addedAtMs = Number.NEGATIVE_INFINITY;
  #isRunning = false;
  /** Ends the request that is under way, if that may wait long. */
  #longWait: AbortController | undefined;

  constructor(broker: number, parts: BrokerPollParts) {
    this.#broker = broker;
    this.#parts = parts;
  }

  add(partition: FollowedPartition, onLost: OnLost): void {
    this.#partitions.set(partition, onLost);
    partition.isRead = true;
    partition.hasAnswered = false;
    this.#addedAtMs = this.#parts.host.elapsed();
    this.#longWait?.abort();
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { ending } = this.#parts;
    this.#isRunning = true;
    // A topic's partitions are added one after the other.
    await Promise.resolve();
    while (ending.why === undefined && this.#forgetEnded()) {
      const due = await this.#due();
      if (due.length > 0) await this.#round(due);
    }
    this.#isRunning = false;
  }

  /** Whether any is left. */
  #forgetEnded(): boolean {
    for (const partition of this.#partitions.keys()) if (partition.isOver) this.#partitions.delete(partition);
    return this.#partitions.size > 0;
  }

  /** The partitions that may be asked for now, after a wait if there are none. */
  async #due(): Promise<FollowedPartition[]> {
    const { host } = this.#parts;
    const untilMs = host.elapsed() + GATHERED_MS;
    const soon = [...this.#partitions.keys()].filter(
      ({ notBeforeMs, work }) => work === undefined && notBeforeMs <= untilMs,
    );
    const waitMs = soon.length > 0 ? latest(soon) - host.elapsed() : this.#nextDueMs() - host.elapsed();
    if (waitMs > 0) await host.delay(waitMs);
    return soon;
  }

  #nextDueMs(): number {
    const idle = [...this.#partitions.keys()].filter(({ work }) => work === undefined);
    return idle.reduce(
      (earliest, { notBeforeMs }) => Math.min(earliest, notBeforeMs),
      this.#parts.host.elapsed() + WORK_WAIT_MS,
    );
  }

  async #round(due: readonly FollowedPartition[]): Promise<void> {
    const { client, ending, host } = this.#parts;
    const wanted = due.filter(({ isOver }) => !isOver);
    if (wanted.length === 0) return;
    // One partition may be followed by several, of which one is behind.
    const byKey = Map.groupBy(wanted, ({ key }) => key);
    const askedAtMs = host.now();
    let polled: readonly Polled[];
    try {
      const asked = Array.from(byKey.values(), toWanted);
      polled = await ending.or(client.poll(this.#broker, asked, this.#wait(wanted)));
    } catch (thrown) {
      this.#leave([...this.#partitions.keys()], fromClientError(thrown));
      return;
    }
    for (const answer of polled)
      for (const partition of byKey.get(keyOf(answer)) ?? [])
        if (!partition.isOver) this.#take(partition, answer, askedAtMs);
    const work = wanted.flatMap((partition) => partition.work ?? []);
    if (work.length > 0)
      await withinMs(
        Promise.all(work).then(() => undefined),
        WORK_WAIT_MS,
        host,
      );
  }

  #wait(wanted: readonly FollowedPartition[]): PollWait {
    const maxMs = this.#maxWaitMs(wanted);
    this.#longWait = maxMs > ADDED_WAITS_MS ? new AbortController() : undefined;
    return this.#longWait === undefined ? { maxMs } : { maxMs, signal: this.#longWait.signal };
  }

  /** The wait at the broker: shorter when a partition that is not asked for is due soon. */
  #maxWaitMs(wanted: readonly FollowedPartition[]): number {
    const nowMs = this.#parts.host.elapsed();
    const settlingMs = Math.max(SETTLING.atLeastMs, (nowMs - this.#addedAtMs) * SETTLING.share);
    const longest = Math.min(settlingMs, MAX_WAIT_MS);
    if (wanted.length === this.#partitions.size) return Math.ceil(longest);
    const asked = new Set(wanted);
    const others = [...this.#partitions.keys()].filter((partition) => !asked.has(partition));
    const dueInMs = others.map(({ notBeforeMs, work }) =>
      work === undefined ? notBeforeMs - nowMs : WORK_WAIT_MS,
    );
    return Math.max(1, Math.ceil(Math.min(longest, ...dueInMs)));
  }

  #take(partition: FollowedPartition, polled: Polled, askedAtMs: number): void {
    if (polled.kind === "refused") {
      this.#leave([partition], polled.error);
      return;
    }
    partition.hasAnswered = true;
    if (polled.kind === "nothing") partition.readUntil(polled.end, askedAtMs);
    else if (polled.kind === "out_of_range") partition.hold(this.#clamp(partition));
    else {
      // The partition moves to the end of the row: a broker fills its answer in the order of the request.
      const onLost = this.#partitions.get(partition);
      this.#partitions.delete(partition);
      if (onLost !== undefined) this.#partitions.set(partition, onLost);
      partition.take(polled, askedAtMs, this.#parts.host.elapsed());
    }
  }

  async #clamp(partition: FollowedPartition): Promise<void> {
    const { ending, host, range } = this.#parts;
    try {
      const bounds = await ending.or(range.bounds(partition));
      if (bounds === undefined) this.#leave([partition], unknownPartition(partition));
      else if (!partition.isOver) partition.clamp(bounds, host.elapsed());
    } catch (thrown) {
      this.#leave([partition], fromClientError(thrown));
    }
  }

  #leave(partitions: readonly FollowedPartition[], error: KafkaError): void {
    for (const partition of partitions) {
      const onLost = this.#partitions.get(partition);
      this.#partitions.delete(partition);
      partition.isRead = false;
      onLost?.(error);
    }
  }
}

function latest(partitions: readonly FollowedPartition[]): number {
  return partitions.reduce((last, { notBeforeMs }) => Math.max(last, notBeforeMs), 0);
}

function toWanted(followed: readonly FollowedPartition[]): Wanted {
  const [first, ...others] = followed as [FollowedPartition, ...FollowedPartition[]];
  const { topic, partition } = first;
  return { topic, partition, offset: Math.min(first.offset, ...others.map(({ offset }) => offset)) };
}

function unknownPartition({ topic, partition }: FollowedPartition): KafkaError {
  return new KafkaError("unknown_topic", `${topic} has no partition ${partition}`, { canRetry: true });
}
