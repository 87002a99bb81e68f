// One partition evaluates all its profiles against what is new, edited or resumed, and lets go of what was deleted; a few at a time.
import {
  type Computation,
  evaluate,
  forgetUnused,
  isKnownFromSummary,
  type LeafUse,
  leaveAudience,
  type Profile,
  seedLeaves,
} from "#audiences";
import type { AudienceConfig, AudienceProgress } from "#topics";
import type { PartitionWorker } from "../profiles/partition-worker.ts";
import type { Computations } from "./computations.ts";
import type { Pace } from "./pace.ts";

/** Profiles of one turn of the event loop. */
const PROFILES_A_TURN = 256;
/** While so many wait to be written no more are looked at. */
const MAX_UNWRITTEN = 512;

export interface FirstSyncParts {
  readonly partition: number;
  readonly worker: PartitionWorker;
  readonly computations: Computations;
  readonly pace: Pace;
  nowMs(): number;
  /** Where events will be read from next, of this partition. */
  position(): number;
  /** What is known of this partition and computation. */
  progressOf(id: string): AudienceProgress | undefined;
  /** Keeps it and has it written. */
  report(progress: AudienceProgress): void;
}

function isDone(config: AudienceConfig, progress: AudienceProgress | undefined): boolean {
  if (config.deletedAtMs !== null) return progress === undefined || progress.state === "deleted";
  if (progress === undefined || progress.generation !== config.generation) return false;
  // A resume sends the net difference.
  return progress.state === "live" && (config.isPaused || !progress.isPaused);
}

/** One pass over the profiles of the partition. */
interface Pass {
  readonly config: AudienceConfig;
  progress: AudienceProgress;
  /** Last key looked at. */
  after: string | undefined;
  /** What was folded before the pass began is on disk: it finds every profile that there was. */
  isReady: boolean;
  isAtEnd: boolean;
}

export class FirstSync {
  readonly #parts: FirstSyncParts;
  #pass: Pass | undefined;

  constructor(parts: FirstSyncParts) {
    this.#parts = parts;
  }

  /** Does as much as its pace allows now. To be called a few times a second. */
  advance(): void {
    const { worker } = this.#parts;
    if (!worker.isOurs || worker.watermarkMs === 0) return;
    const pass = this.#current();
    if (pass === undefined || !pass.isReady || pass.isAtEnd) return;
    if (worker.unwritten < MAX_UNWRITTEN && this.#parts.pace.hasRoom) this.#look(pass);
  }

  /** The pass under way, if its configuration is still the newest; else that of the first that is not done. */
  #current(): Pass | undefined {
    const configs = [...this.#parts.computations.configs];
    for (const config of configs) if (config.isPaused) this.#notePause(config);
    const isSame = configs.some(
      ({ id, updatedAtMs }) => id === this.#pass?.config.id && updatedAtMs === this.#pass.config.updatedAtMs,
    );
    if (this.#pass !== undefined && isSame) return this.#pass;
    const next = configs
      .filter((config) => !isDone(config, this.#parts.progressOf(config.id)))
      .sort((a, b) => a.updatedAtMs - b.updatedAtMs)[0];
    this.#pass = next && this.#begin(next);
    return this.#pass;
  }

  /** From now on there may be differences that are not sent: a resume looks for them. */
  #notePause({ id }: AudienceConfig): void {
    const { nowMs, progressOf, report } = this.#parts;
    const progress = progressOf(id);
    if (progress?.state === "live" && !progress.isPaused)
      report({ ...progress, isPaused: true, updatedAtMs: nowMs() });
  }

  #begin(config: AudienceConfig): Pass {
    const { nowMs, partition, position, progressOf, report, worker } = this.#parts;
    const known = progressOf(config.id);
    const isSame =
      known?.state === "preparing" && known.generation === config.generation && config.deletedAtMs === null;
    const progress: AudienceProgress = isSame
      ? known
      : {
          id: config.id,
          partition,
          generation: config.generation,
          state: "preparing",
          isPaused: config.isPaused,
          profilesDone: 0,
          profilesTotal: worker.store.count,
          cursor: null,
          fenceOffset: position(),
          members: known?.members ?? 0,
          ...this.#coverage(config, nowMs()),
          updatedAtMs: nowMs(),
        };
    const after = progress.cursor ?? undefined;
    const pass: Pass = { config, progress, after, isReady: false, isAtEnd: false };
    if (config.deletedAtMs === null) report(progress);
    worker.whenDurable(() => {
      pass.isReady = true;
    });
    return pass;
  }

  /** Windowed leaves that were not there before count from now on: what came before is not looked up in the log. */
  #coverage({ id }: AudienceConfig, nowMs: number): Pick<AudienceProgress, "coverageFromMs" | "isPartial"> {
    const uses = this.#usesOf(this.#parts.computations.set.computations.get(id));
    const isPartial = !uses.every(
      ({ computations, plan }) =>
        isKnownFromSummary(plan) || computations.some((other) => this.#isComplete(other, id)),
    );
    return { isPartial, coverageFromMs: isPartial ? nowMs : null };
  }

  #isComplete(other: Computation, ownId: string): boolean {
    if (other.id === ownId) return false;
    const progress = this.#parts.progressOf(other.id);
    return progress?.state === "live" && !progress.isPartial;
  }

  #usesOf(computation: Computation | undefined): LeafUse[] {
    const { leaves } = this.#parts.computations.set;
    if (computation === undefined) return [];
    return [...leaves.values()].filter(({ computations }) => computations.includes(computation));
  }

  #look(pass: Pass): void {
    const { computations, pace, worker } = this.#parts;
    const affected = computations.dependentsOf(pass.config.id);
    const uses = affected.flatMap((one) => this.#usesOf(one));
    let looked = 0;
    let isAtEnd = true;
    for (const id of worker.store.keys(pass.after)) {
      if (looked === PROFILES_A_TURN || !pace.hasRoom) {
        isAtEnd = false;
        break;
      }
      const profile = worker.peek(id);
      if (profile !== undefined && this.#visit(profile, { pass, affected, uses })) worker.change(profile);
      pass.after = id;
      looked += 1;
    }
    pass.isAtEnd = isAtEnd;
    const { after } = pass;
    worker.whenDurable(() => this.#note(pass, { after, looked, isAtEnd }));
  }

  /** True when the profile has changed. */
  #visit(
    profile: Profile,
    { affected, pass, uses }: { pass: Pass; affected: Computation[]; uses: readonly LeafUse[] },
  ): boolean {
    const { computations, pace, worker } = this.#parts;
    const before = stateOf(profile, affected);
    const unsent = profile.outbox.length;
    if (pass.config.deletedAtMs === null) {
      seedLeaves(profile, uses);
      evaluate(profile, affected, worker.watermarkMs);
    } else {
      this.#leave(profile);
      forgetUnused(profile, computations.set);
      evaluate(profile, affected, worker.watermarkMs);
    }
    pace.take(profile.outbox.length - unsent);
    return stateOf(profile, affected) !== before || profile.outbox.length !== unsent;
  }

  /** All that are deleted, at once: what is forgotten next is forgotten of all of them. */
  #leave(profile: Profile): void {
    const { computations, progressOf, worker } = this.#parts;
    for (const config of computations.configs) {
      const { deletedAtMs, generation, id, isExitAll } = config;
      if (deletedAtMs !== null && isExitAll && !isDone(config, progressOf(id)))
        leaveAudience(profile, { id, generation }, worker.watermarkMs);
    }
  }

  /** What is durable of the pass. */
  #note(
    pass: Pass,
    { after, isAtEnd, looked }: { after: string | undefined; looked: number; isAtEnd: boolean },
  ): void {
    const { nowMs, progressOf, report } = this.#parts;
    const { config } = pass;
    const members = progressOf(config.id)?.members ?? 0;
    const ended = config.deletedAtMs === null ? "live" : "deleted";
    pass.progress = {
      ...pass.progress,
      members: config.deletedAtMs === null ? members : 0,
      state: isAtEnd ? ended : "preparing",
      profilesDone: pass.progress.profilesDone + looked,
      cursor: isAtEnd ? null : (after ?? null),
      updatedAtMs: nowMs(),
    };
    report(pass.progress);
    if (isAtEnd && this.#pass === pass) this.#pass = undefined;
  }
}

/** What a pass may change of a profile, in short. */
function stateOf({ leaves, lists, results }: Profile, affected: readonly Computation[]): string {
  const deadlines = affected.map(({ id }) => results.get(id)?.deadlineMs);
  return [leaves.size, lists.size, results.size, ...deadlines].join();
}
