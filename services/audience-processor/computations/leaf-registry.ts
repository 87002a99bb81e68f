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
  /** Ids of all that a partition has reported. */
  idsOf(partition: number): Iterable<string>;
}

const PREFIX = "leaf:";
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
    return { fromOffset: known.fenceOffset, isReady: known.state === "live" };
  };

  of(key: string, partition = this.#parts.partition): AudienceProgress | undefined {
    return this.#parts.progressOf(`${PREFIX}${key}`, partition);
  }

  /** Keys of leaves that the partition has counted, and nobody has ended. */
  get keys(): string[] {
    const { idsOf, partition } = this.#parts;
    const keys: string[] = [];
    for (const id of idsOf(partition))
      if (id.startsWith(PREFIX) && this.of(id.slice(PREFIX.length))?.state !== "deleted")
        keys.push(id.slice(PREFIX.length));
    return keys;
  }

  /** A leaf that counts from the offset on; not reported yet. */
  begun(key: string, fenceOffset: number): AudienceProgress {
    const { nowMs, partition } = this.#parts;
    return {
      id: `${PREFIX}${key}`,
      partition,
      generation: 0,
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

  #isEverywhere(key: string, partitions: number, states: readonly string[]): boolean {
    for (let partition = 0; partition < partitions; partition += 1)
      if (!states.includes(this.of(key, partition)?.state ?? "")) return false;
    return partitions > 0;
  }
}
