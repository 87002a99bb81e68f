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
import { CallMemory, forgetLeaf, isKnownFromSummary, type LeafUse } from "#audiences";
import type { Admin } from "#kafka";
import type { AudienceProgress } from "#topics";
import type { LeafRegistry } from "./leaf-registry.ts";
import { LogStretch, type StretchParts, TermEndedError } from "./log-stretch.ts";
import type { PartitionComputations } from "./partition-computations.ts";

/** Of one partition: so far apart two copies of a call may lie at least, as events that a leaf asks for, to be known as one. */
const REMEMBERED_CALLS = 100_000;
const WAIT_MS = 50;
/** An event's time in the log may be before the time of its call, by so much as clocks differ. */
const CLOCKS_DIFFER_MS = 600_000;

export interface BackfillsParts extends StretchParts {
  readonly computations: PartitionComputations;
  readonly registry: LeafRegistry;
  readonly admin: Pick<Admin, "offsets" | "offsetForTime">;
  progressOf(id: string): AudienceProgress | undefined;
  /** Resolves when all of it is written; tries until then, or until the partition is lost. */
  reportDurably(progress: readonly AudienceProgress[]): Promise<void>;
  /** Resolves when all of it is written, and rejects when it was not; nothing of it is known here by that. */
  writeAhead(progress: readonly AudienceProgress[]): Promise<void>;
  /** Lets one partition after the other read its log. */
  inTurn(work: () => Promise<void>): Promise<void>;
  /** Called when a look at the log has failed; it is tried again. */
  onError(error: unknown): void;
}

interface Run {
  readonly uses: readonly LeafUse[];
  readonly fenceOffset: number;
}

export class Backfills {
  readonly #parts: BackfillsParts;
  #work: Promise<void> | undefined;
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
    const { onError, worker } = this.#parts;
    if (!worker.isOurs) return;
    this.#retire();
    if (this.#work !== undefined) return;
    const work = this.#next();
    if (work === undefined) return;
    this.#work = work()
      .catch((error: unknown) => {
        if (!(error instanceof TermEndedError) && worker.isOurs) onError(error);
      })
      .finally(() => {
        this.#work = undefined;
      });
  }

  #next(): (() => Promise<void>) | undefined {
    const { registry } = this.#parts;
    const uses = this.#lookingBack();
    const isNew = ({ plan }: LeafUse) => registry.coverageOf(plan).fromOffset === Number.POSITIVE_INFINITY;
    const begun = uses.filter((use) => isNew(use) && !this.#adopt(use));
    if (begun.length > 0) return () => this.#begin(begun);
    const run = this.#nextRun(uses);
    if (run !== undefined) return () => this.#parts.inTurn(() => this.#run(run));
    const counted = uses.filter(({ plan }) => registry.of(plan.leaf.key)?.state === "counted");
    return counted.length > 0 ? () => this.#goLive(counted) : undefined;
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

  /** What is left of an earlier time of these leaves. */
  async #forget(uses: readonly LeafUse[]): Promise<void> {
    const { host, worker } = this.#parts;
    const { term } = worker;
    let looked = 0;
    for (const id of [...worker.store.keys()]) {
      for (
        let profile = worker.load(id);
        profile !== undefined && "then" in profile;
        profile = worker.load(id)
      )
        await profile;
      const profile = worker.peek(id);
      if (profile !== undefined && uses.map(({ plan }) => forgetLeaf(profile, plan.leaf.key)).includes(true))
        worker.change(profile);
      looked += 1;
      if (looked % 64 === 0) await host.delay(0);
      while (worker.unwritten > 512) await this.#wait(term);
      if (worker.term !== term) throw new TermEndedError("what was not durable is forgotten");
    }
    let isDurable = false;
    worker.whenDurable(() => {
      isDurable = true;
    });
    while (!isDurable) await this.#wait(term);
  }

  async #wait(term: number): Promise<void> {
    const { host, signal, worker } = this.#parts;
    await host.delay(WAIT_MS);
    if (signal.aborted || worker.term !== term)
      throw new TermEndedError("the partition is not ours any more");
  }

  /** Leaves with the same fence are counted in one reading. */
  #nextRun(uses: readonly LeafUse[]): Run | undefined {
    const { registry } = this.#parts;
    const preparing = uses.filter(({ plan }) => registry.of(plan.leaf.key)?.state === "preparing");
    const [first] = preparing;
    if (first === undefined) return undefined;
    return {
      fenceOffset: first.fromOffset,
      uses: preparing.filter((use) => use.fromOffset === first.fromOffset),
    };
  }

  async #run(run: Run): Promise<void> {
    await this.#untilFolded();
    const [fromOffset, cursor] = await this.#placeOf(run);
    const { uses } = run;
    const calls = new CallMemory(REMEMBERED_CALLS);
    if (cursor > fromOffset) {
      const rememberFrom = Math.max(fromOffset, cursor - REMEMBERED_CALLS);
      await new LogStretch(this.#parts, { uses, calls, fromOffset: cursor }).remember(rememberFrom, cursor);
    }
    for (let next = cursor; next < run.fenceOffset; ) {
      const stretch = new LogStretch(this.#parts, { uses, calls, fromOffset: next });
      next = await stretch.gather(run.fenceOffset);
      await stretch.add();
      this.#update(run, { cursor: String(next), eventsDone: next - fromOffset });
    }
    this.#update(run, { state: "counted", cursor: null });
  }

  #update({ uses }: Run, change: Partial<AudienceProgress>): void {
    for (const { plan } of uses) this.#parts.registry.update(plan.leaf.key, change);
  }

  /** All that lies before the fence is folded then. */
  async #untilFolded(): Promise<void> {
    const { host, worker } = this.#parts;
    const { term } = worker;
    const sinceMs = host.now();
    while (worker.watermarkMs < sinceMs) await this.#wait(term);
  }

  /** Where the reading began, and where it goes on. */
  async #placeOf(run: Run): Promise<readonly [number, number]> {
    const { registry } = this.#parts;
    const known = run.uses.map(({ plan }) => registry.of(plan.leaf.key));
    const cursors = known.map((one) => one?.cursor);
    const total = Math.max(...known.map((one) => one?.eventsTotal ?? 0));
    if (cursors.every((cursor) => typeof cursor === "string"))
      return [run.fenceOffset - total, Math.min(...cursors.map(Number))];
    const fromOffset = await this.#findStart(run);
    const eventsTotal = run.fenceOffset - fromOffset;
    this.#update(run, { cursor: String(fromOffset), eventsDone: 0, eventsTotal });
    return [fromOffset, fromOffset];
  }

  /** The first event that a leaf of the run can still count; says of each leaf whether the log is shorter than it looks back. */
  async #findStart({ fenceOffset, uses }: Run): Promise<number> {
    const { registry } = this.#parts;
    const { low } = await this.#bounds();
    const logFromMs = low === 0 ? Number.NEGATIVE_INFINITY : await this.#timeOf(low);
    const starts = uses.map(({ plan }) => this.#startMs(plan));
    uses.forEach(({ plan }, place) => {
      const isPartial = logFromMs > (starts[place] ?? 0);
      registry.update(plan.leaf.key, { isPartial, coverageFromMs: isPartial ? logFromMs : null });
    });
    // A bucket counts as long as its newest call.
    const widths = uses.map(({ plan }) => (Number.isFinite(plan.bucketMs) ? plan.bucketMs : 0));
    const startMs = Math.min(...starts) - Math.max(...widths) - CLOCKS_DIFFER_MS;
    if (startMs <= Math.max(0, logFromMs)) return Math.min(low, fenceOffset);
    return Math.min(fenceOffset, Math.max(low, await this.#offsetAt(startMs)));
  }

  #startMs({ leaf }: LeafUse["plan"]): number {
    const { afterMs, leaveMs } = leaf.window;
    return Math.max(afterMs, this.#parts.host.now() - leaveMs);
  }

  async #timeOf(offset: number): Promise<number> {
    const { kafka, partition, signal, topic } = this.#parts;
    let atMs = Number.NEGATIVE_INFINITY;
    const onRecord = ({ timestampMs }: { timestampMs: number }): void => {
      atMs = timestampMs;
    };
    await kafka.readRange({ topic, partition, fromOffset: offset, toOffset: offset + 1, signal, onRecord });
    return atMs;
  }

  async #offsetAt(timeMs: number): Promise<number> {
    const { admin, partition, topic } = this.#parts;
    const found = await admin.offsetForTime(topic, Math.floor(timeMs));
    return found.find((one) => one.partition === partition)?.offset ?? 0;
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
    if (this.#partitions === 0) await this.#bounds();
    const keys = uses.map(({ plan }) => plan.leaf.key).filter((key) => this.#isWhole(key));
    if (keys.length === 0) return;
    const live = keys.flatMap((key) => registry.changed(key, { state: "live" }) ?? []);
    await writeAhead(live);
    if (signal.aborted || !worker.isOurs) return;
    for (const one of live) registry.report(one);
    for (const key of keys) this.#countedAtMs.delete(key);
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
