// One partition counts for new leaves what its log has of before they were there. A leaf, step by step, and what a death in between leaves:
//   1. events wait; the log's end is the fence, and that is written. Before: the leaf is not known, and the next owner begins it. With it
//      written whoever owns the partition counts events from the fence on as they come, and those before it not.
//   2. events go on. Once all before the fence are folded, the log is read again, stretch by stretch (log-stretch.ts).
//   3. a stretch is added to the profiles; each keeps up to which offset. Before, or with some of them written: the stretch is read again,
//      from where the leaf's record says, and a profile takes only what lies behind its own offset.
//   4. the leaf's record says where the next stretch begins. Before: as in 3.
//   5. at the fence the leaf is counted. It is live when all partitions have counted it and what they have found for profiles of this one,
//      as states of merged profiles, is folded. A leaf that one partition has retired, and begins anew, begins anew in all of them: it has lost
//      what the others had found for it. That a leaf is live is written before anything follows from it: another definition holds from then on, also
//      for the next owner. Then audiences with the leaf are evaluated. Before: it is looked for again.
import { isKnownFromSummary, type LeafUse } from "#audiences";
import { type Admin, atPartition } from "#kafka";
import type { AudienceProgress } from "#topics";
import { endLeaves } from "./ended-leaves.ts";
import { forgetLeaves, waitInTerm } from "./forget-leaves.ts";
import { LogReading, type LogReadingParts } from "./log-reading.ts";
import { nextRun, type Run } from "./log-run.ts";
import { TermEndedError } from "./log-stretch.ts";
import { Looks } from "./looks.ts";
import type { PartitionComputations } from "./partition-computations.ts";
import { isToldLeaf, tellOf } from "./telling.ts";

export interface BackfillsParts extends Omit<LogReadingParts, "logStart"> {
  readonly computations: PartitionComputations;
  readonly admin: Pick<Admin, "offsets" | "offsetForTime">;
  progressOf(id: string): AudienceProgress | undefined;
  progressChanges(): number;
  /** Resolves when all of it is written; tries until then, or until the partition is lost. */
  reportDurably(progress: readonly AudienceProgress[]): Promise<void>;
  /** Resolves when all of it is written, and rejects when it was not; nothing of it is known here by that. */
  writeAhead(progress: readonly AudienceProgress[]): Promise<void>;
  /** Called when a look at the log has failed; it is tried again. */
  onError(error: unknown): void;
}

export class Backfills {
  readonly #parts: BackfillsParts;
  readonly #reading: LogReading;
  readonly #looks: Looks;
  /** Beside the other work, which waits for events to be folded: a merge may wait for a leaf to begin. */
  #beginning: Promise<void> | undefined;
  /** Keys of leaves whose fence may not be written yet. */
  #begun: ReadonlySet<string> = new Set();
  #work: Promise<void> | undefined;
  #asked: Run | undefined;
  /** Keys of leaves that were live at the last look. */
  #ready = "";
  #partitions = 0;
  /** By leaf: when all partitions were seen to have counted it. */
  readonly #countedAtMs = new Map<string, number>();

  constructor(parts: BackfillsParts) {
    this.#parts = parts;
    this.#looks = new Looks(parts);
    this.#reading = new LogReading({ ...parts, logStart: async () => (await this.#bounds()).low });
    // At once: a leaf that is asked for again has missed what is folded meanwhile.
    parts.computations.whenCompiled(() => {
      if (!parts.worker.isOurs) return false;
      this.#retire();
      return true;
    });
  }

  /** Begins what is to be done next. To be called a few times a second. */
  advance(): void {
    if (!this.#parts.worker.isOurs || !this.#looks.isDue()) return;
    this.#retire();
    const uses = this.#lookingBack();
    this.#seeReady(uses);
    this.#beginning ??= this.#done(this.#beginNew(uses), () => {
      this.#beginning = undefined;
      this.#begun = new Set();
    });
    this.#work ??= this.#done(this.#next(uses), () => {
      this.#work = undefined;
    });
    if (this.#beginning === undefined && this.#work === undefined) this.#looks.foundNothing();
  }

  #done(work: Promise<void> | undefined, end: () => void): Promise<void> | undefined {
    const { onError, worker } = this.#parts;
    return work
      ?.catch((error: unknown) => {
        if (!(error instanceof TermEndedError) && worker.isOurs) onError(error);
      })
      .finally(end);
  }

  #beginNew(uses: readonly LeafUse[]): Promise<void> | undefined {
    const { registry } = this.#parts;
    const isNew = ({ plan }: LeafUse) => registry.coverageOf(plan).fromOffset === Number.POSITIVE_INFINITY;
    const begun = uses.filter((use) => isNew(use) && !this.#adopt(use));
    this.#begun = new Set(begun.map(({ plan }) => plan.leaf.key));
    return begun.length > 0 ? this.#begin(begun) : undefined;
  }

  #next(uses: readonly LeafUse[]): Promise<void> | undefined {
    const { registry } = this.#parts;
    const run = nextRun(uses, { registry, begun: this.#begun });
    this.#asked = run;
    if (run !== undefined) return this.#reading.run(run);
    const inState = (state: string) => uses.filter(({ plan }) => registry.of(plan.leaf.key)?.state === state);
    const [toTell, counted] = [inState("preparing").filter(isToldLeaf), inState("counted")];
    if (toTell.length + counted.length > 0) return this.#goOn(toTell, counted);
    // Nobody waits for it.
    const isAtRest = uses.every(({ plan }) => registry.coverageOf(plan).isReady);
    return isAtRest ? endLeaves(this.#parts, this.#partitions) : undefined;
  }

  async #goOn(toTell: readonly LeafUse[], counted: readonly LeafUse[]): Promise<void> {
    if (this.#partitions === 0) await this.#bounds();
    const begun = toTell.filter(({ plan }) => !this.#begun.has(plan.leaf.key));
    await tellOf(this.#parts, begun, this.#partitions);
    await this.#goLive(counted);
  }

  /** That a leaf is live may be read in the table alone: written here, while the partition was not sure to be ours. */
  #seeReady(uses: readonly LeafUse[]): void {
    const { computations, registry } = this.#parts;
    const ready = uses.filter(({ plan }) => registry.coverageOf(plan).isReady);
    const keys = ready.map(({ plan }) => plan.leaf.key).join(" ");
    if (keys !== this.#ready) computations.invalidate();
    this.#ready = keys;
  }

  #lookingBack(): LeafUse[] {
    const { leaves } = this.#parts.computations.set;
    return [...leaves.values()].filter(({ plan }) => !isKnownFromSummary(plan));
  }

  /** A leaf that nobody asks for, or that has begun anew elsewhere, counts nothing any more. Where it is asked for it begins anew. */
  #retire(): void {
    const { computations, registry, reportDurably, worker } = this.#parts;
    const { leaves } = computations.set;
    const isOver = (key: string): boolean => !leaves.has(key) || registry.isOutdated(key);
    const over = registry.keys.filter(isOver);
    for (const key of over) this.#countedAtMs.delete(key);
    const ended = over.flatMap((key) => registry.changed(key, { state: "deleted" }) ?? []);
    const run = this.#asked;
    if (run?.uses.some(({ plan }) => isOver(plan.leaf.key)) === true) run.isEnded = true;
    // Profiles that are written without it would lack what it had counted, for an owner who does not know that it has ended.
    if (ended.length > 0) worker.writeAfter(reportDurably(ended));
    if (over.some((key) => leaves.has(key))) computations.invalidate();
  }

  /** A leaf that was counted before leaves were recorded: its audience is live. */
  #adopt({ computations, plan }: LeafUse): boolean {
    const { progressOf, registry } = this.#parts;
    const { key } = plan.leaf;
    if (registry.of(key) !== undefined) return false;
    const owner = computations
      .map(({ generation, id }) => ({ generation, progress: progressOf(id) }))
      .find(({ generation, progress }) => progress?.state === "live" && progress.generation === generation);
    if (owner?.progress === undefined) return false;
    const { coverageFromMs, isPartial } = owner.progress;
    registry.report({ ...registry.begun(key, 0), state: "live", coverageFromMs, isPartial });
    this.#parts.computations.invalidate();
    return true;
  }

  async #begin(uses: readonly LeafUse[]): Promise<void> {
    const { computations, registry, reportDurably, worker } = this.#parts;
    const again = uses.filter(({ plan }) => registry.of(plan.leaf.key) !== undefined);
    if (again.length > 0) await this.#forget(again);
    const release = worker.hold();
    try {
      const { high } = await this.#bounds();
      if (!worker.isOurs) return;
      await reportDurably(uses.map(({ plan }) => registry.begun(plan.leaf.key, high)));
      computations.invalidate();
    } finally {
      release();
    }
  }

  /** A reading for an earlier time of theirs has ended by then, too. */
  async #forget(uses: readonly LeafUse[]): Promise<void> {
    const { term } = this.#parts.worker;
    while (this.#asked?.isEnded === true && this.#asked.isReading) await waitInTerm(this.#parts, term);
    await forgetLeaves(this.#parts, uses);
  }

  async #bounds(): Promise<{ readonly low: number; readonly high: number }> {
    const { admin, partition, topic } = this.#parts;
    const all = await admin.offsets(topic);
    this.#partitions = all.length;
    return atPartition(all, partition);
  }

  async #goLive(uses: readonly LeafUse[]): Promise<void> {
    const { computations, registry, signal, worker, writeAhead } = this.#parts;
    const keys = uses.map(({ plan }) => plan.leaf.key).filter((key) => this.#isWhole(key));
    if (keys.length === 0) return;
    const live = keys.flatMap((key) => registry.changed(key, { state: "live" }) ?? []);
    await writeAhead(live);
    if (signal.aborted || !worker.isOurs) return;
    for (const key of keys) {
      this.#countedAtMs.delete(key);
      // One that was ended meanwhile is that, whatever was written last.
      const isCounted = registry.of(key)?.state === "counted";
      registry.update(key, isCounted ? { state: "live" } : {});
    }
    computations.invalidate();
  }

  /** All partitions have counted the leaf, and what they have found for profiles of this one is folded. */
  #isWhole(key: string): boolean {
    const { host, registry, worker } = this.#parts;
    if (!registry.isCountedEverywhere(key, this.#partitions)) return false;
    const seenAtMs = this.#countedAtMs.get(key) ?? host.now();
    this.#countedAtMs.set(key, seenAtMs);
    return worker.watermarkMs >= seenAtMs;
  }
}
