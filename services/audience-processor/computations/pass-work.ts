import {
  type Computation,
  type ComputationSet,
  evaluate,
  forgetUnused,
  isFull,
  isKnownFromSummary,
  type LeafUse,
  leaveAudience,
  noteLeftOut,
  noteMissing,
  type Profile,
  tellAccounts,
} from "#audiences";
import type { AudienceProgress } from "#topics";
import type { PartitionWorker } from "../profiles/partition-worker.ts";
import { sendsOf, untrackedUnless } from "./computations.ts";
import type { LeafRegistry } from "./leaf-registry.ts";
import type { Pace } from "./pace.ts";
import type { PartitionComputations } from "./partition-computations.ts";
import { isDone, type Pass, stateOf } from "./pass.ts";
import { isFirstOver } from "./pass-progress.ts";

export interface PassWorkParts {
  readonly worker: PartitionWorker;
  readonly computations: PartitionComputations;
  readonly registry: LeafRegistry;
  readonly pace: Pace;
  progressOf(id: string): AudienceProgress | undefined;
  /** So many values have changed. */
  onChanged(values: number): void;
}

/** What a pass does to each profile, by one set of computations. */
export class PassWork {
  readonly #parts: PassWorkParts;
  readonly #pass: Pass;
  readonly #set: ComputationSet;
  /** To be evaluated. */
  readonly #affected: readonly Computation[];
  /** Leaves that may have been counted for them. */
  readonly #uses: readonly LeafUse[];
  /** Whether some of what a profile has counted may be asked for by nobody any more. */
  readonly #isForgetting: boolean;
  /** Ids of all that is not deleted. */
  readonly #kept: ReadonlySet<string>;

  constructor(parts: PassWorkParts, pass: Pass) {
    const { computations } = parts;
    this.#parts = parts;
    this.#pass = pass;
    this.#set = computations.set;
    this.#affected = computations.dependentsOf(pass.parts.map(({ config }) => config.id));
    this.#uses = computations.usesOf(this.#affected);
    this.#isForgetting = pass.parts.some(
      ({ config: { deletedAtMs, generation } }) => deletedAtMs !== null || generation > 1,
    );
    const kept = [...computations.configs].filter(({ deletedAtMs }) => deletedAtMs === null);
    this.#kept = new Set(kept.map(({ id }) => id));
  }

  /** Whether it is still what this pass does. */
  isOf(pass: Pass): boolean {
    return this.#pass === pass && this.#set === this.#parts.computations.set;
  }

  /** True when the profile has changed. */
  visit(profile: Profile): boolean {
    const { onChanged, pace, registry, worker } = this.#parts;
    const affected = this.#affected;
    const before = stateOf(profile, affected);
    const unsent = profile.outbox.length;
    const { incompleteFor } = profile;
    if (this.#isForgetting) {
      // Members of a deleted audience leave it first.
      this.#leave(profile);
      forgetUnused(profile, this.#set, this.#kept);
    }
    for (const { plan } of this.#uses)
      if (registry.coverageOf(plan).isReady) profile.backfilled.delete(plan.leaf.key);
    evaluate(profile, affected, worker.watermarkMs);
    tellAccounts(profile, this.#set.told);
    this.#noteIncomplete(profile);
    pace.take(profile.outbox.length - unsent);
    onChanged(profile.outbox.length - unsent);
    const isNoted = profile.incompleteFor !== incompleteFor;
    return isNoted || stateOf(profile, affected) !== before || profile.outbox.length !== unsent;
  }

  /** Of a full profile nothing was counted that lies in the log. */
  #noteIncomplete(profile: Profile): void {
    const uses = this.#uses;
    for (const { id } of noteMissing(profile, uses, this.#set)) this.#pass.partial.add(id);
    const isCounted = ({ plan }: LeafUse): boolean => isKnownFromSummary(plan);
    if (isFull(profile) && !uses.every(isCounted)) noteLeftOut(profile, this.#affected, this.#set);
  }

  /** All that are deleted, at once: what is forgotten next is forgotten of all of them. */
  #leave(profile: Profile): void {
    const { computations, progressOf, worker } = this.#parts;
    for (const config of computations.configs) {
      const { deletedAtMs, id, isExitAll } = config;
      if (deletedAtMs === null || !isExitAll || isDone(config, progressOf(id))) continue;
      const sends = untrackedUnless(isFirstOver(progressOf(id)), sendsOf(config));
      leaveAudience(profile, { ...config, sends }, worker.watermarkMs);
    }
  }
}
