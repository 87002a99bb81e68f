// Keeps the health of the destinations whose attempts this process reads, tells of its changes and switches off what is to be.
//
// The order is: the event is durable, then the new state, then the attempt is done and its offset may be committed. After a crash
// between any two of them the attempt is seen again against the state before, leads to the same change, and makes the event again
// under the same id.
import type { DeliveryAttempt, DestinationConfig, DestinationHealth, OperationalEvent } from "#topics";
import { disableReason, isDisabledByUs } from "./disable.ts";
import { disabledEvent, failingEvent, recoveredEvent } from "./events.ts";
import { type HealthContext, type HealthRules, type HealthStep, laterHealth, nextHealth } from "./health.ts";
import { isAtRest, isWorthWriting } from "./persistence.ts";

export interface HealthKeeperOptions {
  readonly rules: HealthRules;
  readonly destination: (id: string) => DestinationConfig | undefined;
  /** What was written last, as far as it has been read. */
  readonly written: (id: string) => DestinationHealth | undefined;
  /** Resolves when the record is acknowledged. */
  readonly write: (health: DestinationHealth) => Promise<void>;
  /** Resolves when the event is durable, or nobody is to be told. */
  readonly tell: (event: OperationalEvent) => Promise<void>;
  /** Switches off the very version that was judged, if there is still a reason; undefined when it was not done. */
  readonly disable: (
    config: DestinationConfig,
    reason: () => string | undefined,
  ) => Promise<DestinationConfig | undefined>;
  readonly onError: (error: unknown, destinationId: string) => void;
  readonly nowMs: () => number;
}

export interface SeenAttempt {
  readonly partition: number;
  readonly offset: number;
  readonly decoded: DeliveryAttempt;
}

/** A destination that is not at rest. */
interface Entry {
  readonly id: string;
  readonly partition: number;
  /** Of before: undefined until its first attempt. */
  health: DestinationHealth | undefined;
  written: DestinationHealth | undefined;
  /** What must be through before anything more is written. */
  work: Promise<void> | undefined;
  /** The version of the configuration whose end by us was reported. */
  toldVersion: number | undefined;
}

interface Judged {
  readonly entry: Entry;
  readonly step: HealthStep;
  readonly config: DestinationConfig;
  /** An attempt has failed; time alone switches nothing off. */
  readonly hasFailed: boolean;
}

export class HealthKeeper {
  readonly #options: HealthKeeperOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: HealthKeeperOptions) {
    this.#options = options;
  }

  /** One more attempt of a partition that is ours; `done` lets its offset be committed. */
  seen({ partition, offset, decoded: attempt }: SeenAttempt, done: () => void): void {
    const config = this.#options.destination(attempt.destinationId);
    if (config === undefined) {
      done();
      return;
    }
    const entry = this.#entry(config.id, partition);
    const step = nextHealth(entry.health, { ...attempt, offset }, this.#context(config));
    if (entry.work === undefined && isAtRest(entry.written, step.health)) {
      // Nearly all attempts: a success of a destination that is well. An entry that is not held yet goes with it.
      entry.health = step.health;
      done();
      return;
    }
    this.#proceed({ entry, step, config, hasFailed: attempt.outcome !== "success" }, done);
  }

  /** What time changes, among those that are recovering and ours (`partitionOf` them); also writes what was held back. */
  tick(recovering: Iterable<string>, partitionOf: (id: string) => number | undefined): void {
    for (const id of recovering) {
      const partition = partitionOf(id);
      if (partition !== undefined) this.#later(this.#entry(id, partition));
    }
    for (const entry of this.#entries.values()) if (entry.work === undefined) this.#tidy(entry);
  }

  /** These partitions are another process's now. */
  forget(partitions: ReadonlySet<number>): void {
    for (const { id, partition } of this.#entries.values())
      if (partitions.has(partition)) this.#entries.delete(id);
  }

  #entry(id: string, partition: number): Entry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const written = this.#options.written(id);
    return { id, partition, health: written, written, work: undefined, toldVersion: undefined };
  }

  #context(config: DestinationConfig): HealthContext {
    const urls = config.webhooks.map(({ url }) => url);
    return { ...this.#options.rules, destinationId: config.id, urls };
  }

  #later(entry: Entry): void {
    const { destination, nowMs } = this.#options;
    const config = destination(entry.id);
    if (config === undefined || entry.health === undefined || entry.work !== undefined) return;
    const step = laterHealth(entry.health, nowMs(), this.#context(config));
    if (step.change !== undefined) this.#proceed({ entry, step, config, hasFailed: false }, () => undefined);
  }

  #tidy(entry: Entry): void {
    const { destination, nowMs, written } = this.#options;
    const { health, id } = entry;
    if (health === undefined || destination(id) === undefined) this.#entries.delete(id);
    else if (isWorthWriting(entry.written, health, nowMs())) void this.#work(entry, () => this.#write(entry));
    // Only when it is read back: until then the table says what it was before.
    else if (isAtRest(entry.written, health) && written(id)?.attemptOffset === entry.written?.attemptOffset)
      this.#entries.delete(id);
  }

  #proceed(judged: Judged, done: () => void): void {
    const { entry, step, config, hasFailed } = judged;
    const before = entry.health;
    entry.health = step.health;
    this.#entries.set(entry.id, entry);
    const isEnding = hasFailed && disableReason(config, step.health) !== undefined;
    const isEnded = hasFailed && isDisabledByUs(config) && entry.toldVersion !== config.version;
    const isDue = isWorthWriting(entry.written, step.health, this.#options.nowMs());
    if (entry.work === undefined && step.change === undefined && !isEnding && !isEnded && !isDue) {
      done();
      return;
    }
    void this.#work(entry, async () => {
      await this.#tell(judged, before);
      if (isEnding) await this.#end(entry, config);
      if (isEnded) await this.#tellEnd(entry, config);
      await this.#write(entry);
    }).then(done);
  }

  async #tell({ step, config }: Judged, before: DestinationHealth | undefined): Promise<void> {
    const { nowMs, tell } = this.#options;
    if (step.change === "failing") await tell(failingEvent(config, step.health));
    if (step.change === "recovered" && before !== undefined)
      await tell(recoveredEvent(config, before, nowMs()));
  }

  async #end(entry: Entry, config: DestinationConfig): Promise<void> {
    // Asked again at the last moment: a call may have got through meanwhile.
    const reason = () => (entry.health === undefined ? undefined : disableReason(config, entry.health));
    const ended = await this.#options.disable(config, reason);
    if (ended !== undefined) await this.#tellEnd(entry, ended);
  }

  async #tellEnd(entry: Entry, ended: DestinationConfig): Promise<void> {
    if (entry.health === undefined || entry.toldVersion === ended.version) return;
    entry.toldVersion = ended.version;
    await this.#options.tell(disabledEvent(ended, entry.health));
  }

  async #write(entry: Entry): Promise<void> {
    const { health } = entry;
    if (health === undefined || !isWorthWriting(entry.written, health, this.#options.nowMs())) return;
    await this.#options.write(health);
    entry.written = health;
  }

  /** After what the destination's earlier attempts led to. A failure is reported and ends the work: the next attempt leads to it again. */
  #work(entry: Entry, task: () => Promise<void>): Promise<void> {
    const work = (entry.work ?? Promise.resolve())
      .then(task)
      .catch((error: unknown) => this.#options.onError(error, entry.id))
      .then(() => {
        if (entry.work === work) entry.work = undefined;
      });
    entry.work = work;
    return work;
  }
}
