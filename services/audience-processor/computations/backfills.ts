// One partition counts for new leaves what its log has of before they were there. A leaf, step by step, and what a death in between leaves:
//   1. events wait; the log's end is the fence, and that is written. Before: the leaf is not known, and the next owner begins it. With it
//      written whoever owns the partition counts events from the fence on as they come, and those before it not.
//   2. events go on. Once all before the fence are folded, the log is read again, stretch by stretch (log-stretch.ts).
//   3. a stretch is added to the profiles; each keeps up to which offset. Before, or with some of them written: the stretch is read again,
//      from where the leaf's record says, and a profile takes only what lies behind its own offset.
//   4. the leaf's record says where the next stretch begins. Before: as in 3.
//   5. at the fence the leaf is counted. It is live when all partitions have counted it and what they have found for profiles of this one,
//      as states of merged profiles, is folded. That is written before anything follows from it: another definition holds from then on, also
//      for the next owner. Then audiences with the leaf are evaluated. Before: it is looked for again.
import { CallMemory, isKnownFromSummary, type LeafUse } from "#audiences";
import type { Admin } from "#kafka";
import type { AudienceProgress } from "#topics";
import { forgetLeaves, waitInTerm } from "./forget-leaves.ts";
import type { LeafRegistry } from "./leaf-registry.ts";
import { nextRun, type Run } from "./log-run.ts";
import { findStart } from "./log-start.ts";
import { LogStretch, type StretchParts, TermEndedError } from "./log-stretch.ts";
import type { PartitionComputations } from "./partition-computations.ts";
import { isToldLeaf, tellOf } from "./telling.ts";

/** Of one partition: so far apart two copies of a call may lie at least, as events that a leaf asks for, to be known as one. */
const REMEMBERED_CALLS = 100_000;

export interface BackfillsParts extends StretchParts {
  readonly computations: PartitionComputations;
  readonly registry: LeafRegistry;
  readonly admin: Pick<Admin, "offsets" | "offsetForTime">;
  progressOf(id: string): AudienceProgress | undefined;
  /** Resolves when all of it is written; tries until then, or until the partition is lost. */
  reportDurably(progress: readonly AudienceProgress[]): Promise<void>;
  /** Resolves when all of it is written, and rejects when it was not; nothing of it is known here by that. */
  writeAhead(progress: readonly AudienceProgress[]): Promise<void>;
  /** Lets a few partitions read their logs at a time. */
  inTurn(work: () => Promise<void>): Promise<void>;
  /** Called when a look at the log has failed; it is tried again. */
  onError(error: unknown): void;
}

export class Backfills {
  readonly #parts: BackfillsParts;
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
    // At once: a leaf that is asked for again has missed what is folded meanwhile.
    parts.computations.whenCompiled(() => {
      if (parts.worker.isOurs) this.#retire();
    });
  }

  /** Begins what is to be done next. To be called a few times a second. */
  advance(): void {
    if (!this.#parts.worker.isOurs) return;
    this.#retire();
    this.#seeReady();
    const uses = this.#lookingBack();
    this.#beginning ??= this.#done(this.#beginNew(uses), () => {
      this.#beginning = undefined;
      this.#begun = new Set();
    });
    this.#work ??= this.#done(this.#next(uses), () => {
      this.#work = undefined;
    });
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
    if (run !== undefined) return this.#run(run);
    const inState = (state: string) => uses.filter(({ plan }) => registry.of(plan.leaf.key)?.state === state);
    const [toTell, counted] = [inState("preparing").filter(isToldLeaf), inState("counted")];
    return toTell.length + counted.length > 0 ? this.#goOn(toTell, counted) : undefined;
  }

  async #goOn(toTell: readonly LeafUse[], counted: readonly LeafUse[]): Promise<void> {
    if (this.#partitions === 0) await this.#bounds();
    const begun = toTell.filter(({ plan }) => !this.#begun.has(plan.leaf.key));
    await tellOf(this.#parts, begun, this.#partitions);
    await this.#goLive(counted);
  }

  /** That a leaf is live may be read in the table alone: written here, while the partition was not sure to be ours. */
  #seeReady(): void {
    const { computations, registry } = this.#parts;
    const ready = this.#lookingBack().filter(({ plan }) => registry.coverageOf(plan).isReady);
    const keys = ready.map(({ plan }) => plan.leaf.key).join(" ");
    if (keys !== this.#ready) computations.invalidate();
    this.#ready = keys;
  }

  #lookingBack(): LeafUse[] {
    const { leaves } = this.#parts.computations.set;
    return [...leaves.values()].filter(({ plan }) => !isKnownFromSummary(plan));
  }

  /** A leaf that nobody asks for counts nothing any more. If it is asked for again it begins anew. */
  #retire(): void {
    const { computations, registry, reportDurably, worker } = this.#parts;
    const { leaves } = computations.set;
    const ended = registry.keys
      .filter((key) => !leaves.has(key))
      .flatMap((key) => registry.changed(key, { state: "deleted" }) ?? []);
    const run = this.#asked;
    if (run?.uses.some(({ plan }) => !leaves.has(plan.leaf.key)) === true) run.isEnded = true;
    // Profiles that are written without it would lack what it had counted, for an owner who does not know that it has ended.
    if (ended.length > 0) worker.writeAfter(reportDurably(ended));
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

  /** How much there is to read is found before the turn comes: only so is the rest of the time known. */
  async #run(run: Run): Promise<void> {
    const { inTurn, worker } = this.#parts;
    const { term } = worker;
    await this.#atWork(run, async () => {
      await this.#untilFolded(run);
      await this.#placeOf(run);
    });
    await inTurn(() =>
      this.#atWork(run, async () => {
        if (worker.term !== term) throw new TermEndedError("what was folded is forgotten");
        await this.#count(run);
      }),
    );
  }

  async #atWork(run: Run, work: () => Promise<void>): Promise<void> {
    this.#check(run);
    run.isReading = true;
    await work().finally(() => {
      run.isReading = false;
    });
  }

  async #count(run: Run): Promise<void> {
    const [fromOffset, cursor] = await this.#placeOf(run);
    const calls = new CallMemory(REMEMBERED_CALLS);
    if (cursor > fromOffset) {
      const rememberFrom = Math.max(fromOffset, cursor - REMEMBERED_CALLS);
      await new LogStretch(this.#parts, { run, calls, fromOffset: cursor }).remember(rememberFrom, cursor);
    }
    for (let next = cursor; next < run.fenceOffset; ) {
      const stretch = new LogStretch(this.#parts, { run, calls, fromOffset: next });
      next = await stretch.gather(run.fenceOffset);
      await stretch.add();
      this.#update(run, { cursor: String(next), eventsDone: next - fromOffset });
    }
    this.#update(run, { state: "counted", cursor: null });
  }

  #update(run: Run, change: Partial<AudienceProgress>): void {
    this.#check(run);
    for (const { plan } of run.uses) this.#parts.registry.update(plan.leaf.key, change);
  }

  #check({ isEnded }: Run): void {
    if (isEnded) throw new TermEndedError("nobody asks for one of the leaves any more");
  }

  /** All that lies before the fence is folded then. */
  async #untilFolded(run: Run): Promise<void> {
    const { host, worker } = this.#parts;
    const { term } = worker;
    const sinceMs = host.now();
    while (worker.watermarkMs < sinceMs) {
      await waitInTerm(this.#parts, term);
      this.#check(run);
    }
  }

  /** Where the reading began, and where it goes on. */
  async #placeOf(run: Run): Promise<readonly [number, number]> {
    const { registry } = this.#parts;
    const known = run.uses.map(({ plan }) => registry.of(plan.leaf.key));
    const cursors = known.map((one) => one?.cursor);
    const total = Math.max(...known.map((one) => one?.eventsTotal ?? 0));
    if (cursors.every((cursor) => typeof cursor === "string"))
      return [run.fenceOffset - total, Math.min(...cursors.map(Number))];
    const { low } = await this.#bounds();
    const fromOffset = await findStart(this.#parts, run, low);
    const eventsTotal = run.fenceOffset - fromOffset;
    this.#update(run, { cursor: String(fromOffset), eventsDone: 0, eventsTotal });
    return [fromOffset, fromOffset];
  }

  async #bounds(): Promise<{ readonly low: number; readonly high: number }> {
    const { admin, partition, topic } = this.#parts;
    const all = await admin.offsets(topic);
    this.#partitions = all.length;
    const bounds = all.find((one) => one.partition === partition);
    if (bounds === undefined) throw new Error(`${topic} has no partition ${partition}`);
    return bounds;
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
