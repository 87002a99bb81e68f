// Computations that are made when much has happened already: the log is read again, in stretches, while more comes.
import fc from "fast-check";
import {
  addPast,
  CallMemory,
  evaluate,
  Gathering,
  isKnownFromSummary,
  type LeafCoverage,
  seedLeaves,
} from "#audiences";
import { anyCase, type Case, type Step } from "./case.ts";
import { compile, Product } from "./product.ts";
import { LAST_STEPS, Run } from "./run-case.ts";

export interface LateCase {
  readonly given: Case;
  /** After so many hundredths of the steps the computations are there; after so many of the rest they are ready. */
  readonly there: number;
  readonly ready: number;
  /** Events of a stretch. */
  readonly stretch: number;
  /** Profiles that a stretch reaches before the process dies; then it is read again, with another end. */
  readonly diesAfter: number;
  /** Each reads its own profiles' events, and knows nothing of what the others have read. */
  readonly partitions: number;
}

export const anyLateCase: fc.Arbitrary<LateCase> = fc.record({
  given: anyCase,
  there: fc.integer({ min: 0, max: 100 }),
  ready: fc.integer({ min: 0, max: 100 }),
  stretch: fc.integer({ min: 1, max: 60 }),
  diesAfter: fc.integer({ min: 0, max: 3 }),
  partitions: fc.integer({ min: 1, max: 3 }),
});

const partitionOf = (profileId: string, partitions: number): number =>
  Array.from(profileId).reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % partitions;

class LateRun {
  readonly run: Run;
  readonly #given: LateCase;
  readonly #product: Product;
  #memories = new Map<number, CallMemory>();
  #fence = 0;
  #cursor = 0;

  constructor(late: LateCase) {
    this.#given = late;
    this.#product = new Product(compile({ computations: [], steps: [] }));
    this.run = new Run(late.given, this.#product);
    this.run.isLogKept = true;
  }

  begin(): void {
    this.#fence = this.#product.offset;
    this.#compile({ fromOffset: this.#fence, isReady: false });
  }

  #compile(coverage: LeafCoverage): void {
    this.#product.set = compile(this.#given.given, (plan) =>
      isKnownFromSummary(plan) ? { fromOffset: 0, isReady: true } : coverage,
    );
  }

  get isAtFence(): boolean {
    return this.#cursor >= this.#fence;
  }

  /** One stretch: in a part of the profiles first, then the process dies, and what it had in memory is gone. */
  backfill(): void {
    if (this.isAtFence) return;
    const { diesAfter, stretch } = this.#given;
    const end = Math.min(this.#fence, this.#cursor + stretch);
    if (diesAfter > 0) {
      this.#backfillTo(Math.min(this.#fence, end + 2), diesAfter);
      this.#product.reload();
      this.#memories = new Map();
    }
    this.#backfillTo(end, Number.POSITIVE_INFINITY);
    this.#cursor = end;
  }

  #backfillTo(toOffset: number, profiles: number): void {
    const { set } = this.#product;
    const { nowMs } = this.run;
    const uses = [...set.leaves.values()].filter(({ plan }) => !isKnownFromSummary(plan));
    const gathered = Array.from({ length: this.#given.partitions }, (_, partition) => {
      const calls = this.#memories.get(partition) ?? new CallMemory(1_000);
      this.#memories.set(partition, calls);
      const gathering = new Gathering({ uses, calls, nowMs, judgedFromMs: nowMs });
      this.#read(gathering, partition, toOffset);
      return [...gathering.profiles];
    });
    for (const [id, { states }] of gathered.flat().slice(0, profiles)) {
      const profile = this.#product.profiles.get(id);
      if (profile === undefined) continue;
      addPast(profile, states, { uses, toOffset, nowMs });
      if (profile.redirectTo !== undefined) this.#product.giveOn(profile, nowMs);
    }
  }

  #read(gathering: Gathering, partition: number, toOffset: number): void {
    const load = (id: string) => this.#product.profiles.get(id);
    for (const { event, id: profileId, offset } of this.#product.log) {
      if (offset >= toOffset || partitionOf(profileId, this.#given.partitions) !== partition) continue;
      if (event.kind === "merge") gathering.merged({ profileId, offset, moved: event.moved }, load);
      if (event.kind !== "call") continue;
      const past = { profileId, offset, call: event.call };
      if (offset < this.#cursor) gathering.pass(past, load);
      else gathering.take(past, load);
    }
  }

  /** What the first sync does. */
  end(): string | undefined {
    while (!this.isAtFence) this.backfill();
    this.#compile({ fromOffset: this.#fence, isReady: true });
    const { computations, leaves } = this.#product.set;
    for (const profile of this.#product.profiles.values()) {
      if (profile.redirectTo !== undefined) continue;
      seedLeaves(profile, leaves.values());
      evaluate(profile, computations.values(), this.run.nowMs);
    }
    const told = new Set(
      [...this.#product.profiles].flatMap(([id, { accounts }]) =>
        [...accounts.values()].some((account) => account.told.length > 0) ? id : [],
      ),
    );
    this.#product.tellAgain(this.run.nowMs);
    this.run.naive.untellSuppressed(this.run.nowMs, (user) => told.has(user));
    this.run.naive.clock(this.run.nowMs);
    this.#product.takeFlips();
    this.run.naive.takeFlips();
    return this.difference();
  }

  step(step: Step): void {
    this.run.step(step);
    this.#product.takeFlips();
    this.run.naive.takeFlips();
  }

  /** What was sent last of each; a value that is empty at first is not sent, so it is as good as none. */
  difference(): string | undefined {
    const [product, naive] = [this.#product.values, this.run.naive.values].map((values) =>
      [...values]
        .map((one) => one.join(" "))
        .sort()
        .join("\n"),
    );
    return product === naive ? undefined : `the product has sent\n${product}\nbut should have sent\n${naive}`;
  }
}

/** What is wrong, or undefined. */
export function differenceInLate(late: LateCase): string | undefined {
  const { given, ready, there } = late;
  const run = new LateRun(late);
  const fence = Math.floor((given.steps.length * there) / 100);
  const end = fence + Math.floor(((given.steps.length - fence) * ready) / 100);
  for (const step of given.steps.slice(0, fence)) run.step(step);
  run.begin();
  for (const step of given.steps.slice(fence, end)) {
    run.backfill();
    run.step(step);
  }
  const wrong = run.end();
  if (wrong !== undefined) return `after the first sync: ${wrong}`;
  for (const [index, step] of [...given.steps.slice(end), ...LAST_STEPS].entries()) {
    run.step(step);
    const difference = run.difference();
    if (difference !== undefined) return `step ${end + index}: ${difference}`;
  }
  return undefined;
}
