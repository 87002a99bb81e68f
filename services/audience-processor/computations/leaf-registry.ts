// What one partition knows of its leaves: from which offset on each counts, and how far the calls before that are counted.
import { isKnownFromSummary, type LeafCoverage, type LeafUse } from "#audiences";
import type { AudienceProgress } from "#topics";

type Plan = LeafUse["plan"];

export interface LeafRegistryParts {
  readonly partition: number;
  /** Aborted when the partition is lost. */
  readonly signal: AbortSignal;
  nowMs(): number;
  progressOf(id: string, partition: number): AudienceProgress | undefined;
  report(progress: AudienceProgress): void;
  /** Resolves when nothing is said under these ids of the partition any more. */
  end(ids: readonly string[]): Promise<void>;
  /** The newest life of a leaf in any partition, as far as is known. */
  newestLife(id: string): number | undefined;
  /** Ids of all that a partition has reported. */
  idsOf(partition: number): Iterable<string>;
}

const PREFIX = "leaf:";
/** Its life is behind those of all leaves of which nothing is said any more. */
const ENDED = "";
const MOST_AT_ONCE = 1_000;
const NOTHING: LeafCoverage = { fromOffset: Number.POSITIVE_INFINITY, isReady: false };
const EVERYTHING: LeafCoverage = { fromOffset: 0, isReady: true };

export class LeafRegistry {
  readonly #parts: LeafRegistryParts;

  constructor(parts: LeafRegistryParts) {
    this.#parts = parts;
  }

  readonly coverageOf = (plan: Plan): LeafCoverage => {
    if (isKnownFromSummary(plan)) return EVERYTHING;
    const known = this.of(plan.leaf.key);
    if (known === undefined || known.state === "deleted") return NOTHING;
    return { fromOffset: known.fenceOffset, isReady: known.state === "live", life: known.generation };
  };

  of(key: string, partition = this.#parts.partition): AudienceProgress | undefined {
    return this.#parts.progressOf(`${PREFIX}${key}`, partition);
  }

  get #all(): string[] {
    const { idsOf, partition } = this.#parts;
    const ids = [...idsOf(partition)].filter((id) => id.startsWith(PREFIX) && id !== PREFIX);
    return ids.map((id) => id.slice(PREFIX.length));
  }

  /** Keys of leaves that the partition has counted, and nobody has ended. */
  get keys(): string[] {
    return this.#all.filter((key) => this.of(key)?.state !== "deleted");
  }

  /** Keys of leaves that were ended here before the moment, and that no partition counts; some at a time. */
  endedBefore(atMs: number, partitions: number): string[] {
    const isOver = (key: string): boolean => {
      for (let partition = 0; partition < partitions; partition += 1)
        if ((this.of(key, partition)?.state ?? "deleted") !== "deleted") return false;
      return partitions > 0;
    };
    const isOld = (key: string): boolean => (this.of(key)?.updatedAtMs ?? atMs) < atMs;
    return this.#all.filter((key) => isOld(key) && isOver(key)).slice(0, MOST_AT_ONCE);
  }

  /** What is to be written before nothing is said of these any more, for later leaves to begin behind their lives. */
  behind(keys: readonly string[]): AudienceProgress {
    const lives = keys.map((key) => (this.of(key)?.generation ?? -1) + 1);
    return { ...this.begun(ENDED, 0), state: "deleted", generation: Math.max(this.#leastLife, ...lives) };
  }

  /** Nothing is said of these any more. */
  async end(keys: readonly string[]): Promise<void> {
    await this.#parts.end(keys.map((key) => `${PREFIX}${key}`));
  }

  get #leastLife(): number {
    return Math.max(0, this.of(ENDED)?.generation ?? 0, this.#parts.newestLife(PREFIX) ?? 0);
  }

  /**
   * Whether another partition has begun the leaf anew: it has lost what profiles of this one had given to profiles of its own, as states of merged
   * profiles, and waits for that.
   */
  isOutdated(key: string): boolean {
    const newest = this.#parts.newestLife(`${PREFIX}${key}`) ?? 0;
    // Most have one life, and it is asked of each several times a second.
    if (newest === 0) return false;
    const known = this.of(key);
    return known !== undefined && known.state !== "deleted" && newest > known.generation;
  }

  /** The one that another partition has begun, or else the next. */
  #lifeToBegin(key: string): number {
    const own = this.of(key)?.generation ?? -1;
    const newest = this.#parts.newestLife(`${PREFIX}${key}`) ?? -1;
    return Math.max(this.#leastLife, newest > own ? newest : own + 1);
  }

  /** A leaf that counts from the offset on; not reported yet. */
  begun(key: string, fenceOffset: number): AudienceProgress {
    const { nowMs, partition } = this.#parts;
    return {
      id: `${PREFIX}${key}`,
      partition,
      generation: this.#lifeToBegin(key),
      state: "preparing",
      isPaused: false,
      profilesDone: 0,
      profilesTotal: 0,
      cursor: null,
      fenceOffset,
      eventsDone: 0,
      eventsTotal: 0,
      coverageFromMs: null,
      isPartial: false,
      members: 0,
      incompleteProfiles: 0,
      isFirstOver: false,
      updatedAtMs: nowMs(),
    };
  }

  /** Nothing once the partition is lost: a reading that is still under way would hide what the next owner says. */
  report(progress: AudienceProgress): void {
    const { report, signal } = this.#parts;
    if (!signal.aborted) report(progress);
  }

  /** What is known of a leaf, changed; not reported yet. */
  changed(key: string, change: Partial<AudienceProgress>): AudienceProgress | undefined {
    const known = this.of(key);
    return known && { ...known, ...change, updatedAtMs: this.#parts.nowMs() };
  }

  /** Reports what has changed of a leaf that is known. */
  update(key: string, change: Partial<AudienceProgress>): void {
    const changed = this.changed(key, change);
    if (changed !== undefined) this.report(changed);
  }

  /** Whether every partition has counted its log. */
  isCountedEverywhere(key: string, partitions: number): boolean {
    return this.#isEverywhere(key, partitions, ["counted", "live"]);
  }

  /** Whether every partition counts what comes for it. */
  isBegunEverywhere(key: string, partitions: number): boolean {
    return this.#isEverywhere(key, partitions, ["preparing", "counted", "live"]);
  }

  /** In the life that this partition is in. */
  #isEverywhere(key: string, partitions: number, states: readonly string[]): boolean {
    const life = this.of(key)?.generation;
    for (let partition = 0; partition < partitions; partition += 1) {
      const { generation, state = "" } = this.of(key, partition) ?? {};
      if (generation !== life || !states.includes(state)) return false;
    }
    return partitions > 0;
  }
}
