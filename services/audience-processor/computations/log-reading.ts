// A partition's log, read again from where the leaves of a run may have something to count up to their fence.
import { CallMemory } from "#audiences";
import type { Admin } from "#kafka";
import type { AudienceProgress } from "#topics";
import { waitInTerm } from "./forget-leaves.ts";
import type { LeafRegistry } from "./leaf-registry.ts";
import type { Run } from "./log-run.ts";
import { findStart } from "./log-start.ts";
import { LogStretch, type StretchParts, TermEndedError } from "./log-stretch.ts";

/** Of one partition: so far apart two copies of a call may lie at least, as events that a leaf asks for, to be known as one. */
const REMEMBERED_CALLS = 100_000;

export interface LogReadingParts extends StretchParts {
  readonly registry: LeafRegistry;
  readonly admin: Pick<Admin, "offsetForTime">;
  /** First offset that the partition's log has. */
  logStart(): Promise<number>;
  /** Lets a few partitions read their logs at a time. */
  inTurn(work: () => Promise<void>): Promise<void>;
}

export class LogReading {
  readonly #parts: LogReadingParts;

  constructor(parts: LogReadingParts) {
    this.#parts = parts;
  }

  /** How much there is to read is found before the turn comes: only so is the rest of the time known. */
  async run(run: Run): Promise<void> {
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
    const { logStart } = this.#parts;
    const fromOffset = await findStart(this.#parts, run, await logStart());
    const eventsTotal = run.fenceOffset - fromOffset;
    this.#update(run, { cursor: String(fromOffset), eventsDone: 0, eventsTotal });
    return [fromOffset, fromOffset];
  }
}
