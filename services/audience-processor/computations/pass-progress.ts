// How far the passes of one partition are, as it is reported.
import type { AudienceConfig, AudienceProgress } from "#topics";
import type { PartitionWorker } from "../profiles/partition-worker.ts";
import type { LeafRegistry } from "./leaf-registry.ts";
import type { PartitionComputations } from "./partition-computations.ts";
import type { Part } from "./pass.ts";

export interface PassProgressParts {
  readonly partition: number;
  readonly worker: { readonly store: Pick<PartitionWorker["store"], "count"> };
  readonly computations: Pick<PartitionComputations, "newestOf" | "usesOf">;
  readonly registry: Pick<LeafRegistry, "of">;
  nowMs(): number;
  /** Where events will be read from next, of this partition. */
  position(): number;
  /** What is known of this partition and computation. */
  progressOf(id: string): AudienceProgress | undefined;
  /** Keeps it and has it written. */
  report(progress: AudienceProgress): void;
}

/** What has become durable of a pass. */
export interface Looked {
  /** The last key. */
  readonly after: string | undefined;
  readonly looked: number;
  readonly isAtEnd: boolean;
}

export class PassProgress {
  readonly #parts: PassProgressParts;

  constructor(parts: PassProgressParts) {
    this.#parts = parts;
  }

  /** Of one with a leaf that looks back: once that is counted. What cannot be read is not: when it can, what it has missed is looked for. */
  isReady({ id }: AudienceConfig): boolean {
    return (this.#parts.computations.newestOf(id)?.state ?? "preparing") !== "preparing";
  }

  /** How far the log is read again for it. Whom a pass has looked at before is looked at again. */
  noteBackfill(config: AudienceConfig): void {
    if (config.deletedAtMs !== null || this.isReady(config)) return;
    const { nowMs, progressOf, report } = this.#parts;
    const known = progressOf(config.id);
    const events = this.#eventsOf(config);
    const isBegun = known?.generation === config.generation && known.state === "preparing";
    const isSame = isBegun && known.cursor === null;
    if (isSame && known.eventsDone === events.eventsDone && known.eventsTotal === events.eventsTotal) return;
    const begun = this.#begun(config, known);
    report({ ...begun, ...events, cursor: null, profilesDone: 0, updatedAtMs: nowMs() });
  }

  #leavesOf({ id }: AudienceConfig): AudienceProgress[] {
    const { computations, registry } = this.#parts;
    const newest = computations.newestOf(id);
    const uses = computations.usesOf(newest === undefined ? [] : [newest]);
    return uses.flatMap(({ plan }) => registry.of(plan.leaf.key) ?? []);
  }

  /** Its leaves are counted in one reading mostly: the longest stands for all. */
  #eventsOf(config: AudienceConfig): Pick<AudienceProgress, "eventsDone" | "eventsTotal"> {
    const leaves = this.#leavesOf(config);
    return {
      eventsDone: Math.max(0, ...leaves.map(({ eventsDone }) => eventsDone)),
      eventsTotal: Math.max(0, ...leaves.map(({ eventsTotal }) => eventsTotal)),
    };
  }

  /** The last key of which it is durable that it was looked at. */
  cursorOf(config: AudienceConfig): string | null {
    return this.#begun(config, this.#parts.progressOf(config.id)).cursor;
  }

  partOf(config: AudienceConfig): Part {
    const { nowMs, progressOf } = this.#parts;
    const begun = this.#begun(config, progressOf(config.id));
    const past = config.deletedAtMs === null ? { ...this.#coverage(config), ...this.#eventsOf(config) } : {};
    const progress = { ...begun, ...past, updatedAtMs: nowMs() };
    // Found by an earlier part of the pass, maybe in another process.
    return { config, progress: begun.isPartial ? withPartial(progress, config) : progress };
  }

  /** What is known of it by now, if that is of the same generation; a resume begins with the first profile. */
  #begun({ deletedAtMs, generation, id, isPaused }: AudienceConfig, known: AudienceProgress | undefined) {
    const { nowMs, partition, position, worker } = this.#parts;
    const isSame = known?.state === "preparing" && known.generation === generation && deletedAtMs === null;
    if (isSame && (isPaused || !known.isPaused)) return known;
    return {
      id,
      partition,
      generation,
      state: "preparing",
      isPaused,
      profilesDone: 0,
      profilesTotal: worker.store.count,
      cursor: null,
      fenceOffset: position(),
      eventsDone: 0,
      eventsTotal: 0,
      coverageFromMs: null,
      isPartial: false,
      members: known?.members ?? 0,
      incompleteProfiles: known?.incompleteProfiles ?? 0,
      isFirstOver: isFirstOver(known),
      updatedAtMs: nowMs(),
    };
  }

  /** Of leaves for which the log is shorter than they look back. */
  #coverage(config: AudienceConfig): Pick<AudienceProgress, "coverageFromMs" | "isPartial"> {
    const leaves = this.#leavesOf(config);
    const starts = leaves.flatMap(({ coverageFromMs }) => coverageFromMs ?? []);
    return {
      isPartial: leaves.some(({ isPartial }) => isPartial),
      coverageFromMs: starts.length === 0 ? null : Math.max(...starts),
    };
  }

  note(part: Part, { after, isAtEnd, looked }: Looked, partial: ReadonlySet<string>): void {
    const { nowMs, progressOf, report } = this.#parts;
    const { deletedAtMs, id } = part.config;
    const { incompleteProfiles, isPaused, members } = progressOf(id) ?? part.progress;
    part.progress = {
      ...part.progress,
      isPaused,
      members: deletedAtMs === null ? members : 0,
      incompleteProfiles: deletedAtMs === null ? incompleteProfiles : 0,
      state: isAtEnd ? (deletedAtMs === null ? "live" : "deleted") : "preparing",
      profilesDone: part.progress.profilesDone + looked,
      cursor: isAtEnd ? null : (after ?? null),
      // While it is paused nobody is evaluated.
      isFirstOver: (isAtEnd && !part.config.isPaused) || part.progress.isFirstOver,
      updatedAtMs: nowMs(),
    };
    if (deletedAtMs === null && partial.has(id)) part.progress = withPartial(part.progress, part.config);
    report(part.progress);
  }
}

/** Whether every profile of the partition was evaluated once. A version before said nothing of it while it was not live. */
export function isFirstOver(known: AudienceProgress | undefined): boolean {
  return known !== undefined && (known.isFirstOver || (known.state === "live" && !known.isPaused));
}

/** Of some profiles it is not known whether calls came before the definition was there. */
function withPartial(progress: AudienceProgress, { updatedAtMs }: AudienceConfig): AudienceProgress {
  return { ...progress, isPartial: true, coverageFromMs: progress.coverageFromMs ?? updatedAtMs };
}
