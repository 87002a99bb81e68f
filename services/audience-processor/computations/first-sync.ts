// One partition evaluates all its profiles against what is new, edited or resumed, and lets go of what was deleted; a few at a time.
import {
  type Computation,
  evaluate,
  forgetUnused,
  type LeafUse,
  leaveAudience,
  type Profile,
} from "#audiences";
import type { Host, Timer } from "#host";
import type { AudienceConfig, AudienceProgress } from "#topics";
import type { PartitionWorker } from "../profiles/partition-worker.ts";
import type { LeafRegistry } from "./leaf-registry.ts";
import type { Pace } from "./pace.ts";
import type { PartitionComputations } from "./partition-computations.ts";
import { isDone, type Pass, stateOf } from "./pass.ts";
import { notePauses } from "./pauses.ts";

/** Profiles of one turn of the event loop at most, and how long a turn may take: each step of a live call may wait for one. */
const PROFILES_A_TURN = 64;
const TURN_MS = 2;
/** The clock is looked at after so many profiles. */
const PROFILES_A_LOOK = 8;
/** While calls come, a pass rests after each turn: for so many times what the turn took, and so long at least. */
const REST = { turns: 2, leastMs: 5 };
/** Calls come, if one came so lately. */
const LIVE_MS = 1_000;
/** While so many wait to be written no more are looked at. */
const MAX_UNWRITTEN = 512;

export interface FirstSyncParts {
  readonly partition: number;
  readonly worker: PartitionWorker;
  readonly computations: PartitionComputations;
  readonly registry: LeafRegistry;
  readonly pace: Pace;
  readonly host: Pick<Host, "elapsed" | "setImmediate" | "setTimeout">;
  nowMs(): number;
  /** Where events will be read from next, of this partition. */
  position(): number;
  /** What is known of this partition and computation. */
  progressOf(id: string): AudienceProgress | undefined;
  /** So many values have changed. */
  onChanged(values: number): void;
  /** Keeps it and has it written. */
  report(progress: AudienceProgress): void;
  /** Resolves when all of it is written; tries until then, or until the partition is lost. */
  reportDurably(progress: readonly AudienceProgress[]): Promise<void>;
}

export class FirstSync {
  readonly #parts: FirstSyncParts;
  #pass: Pass | undefined;
  #turn: Timer | undefined;
  #turnTookMs = 0;
  /** Where events were read at the last look, and when that had moved. */
  #position: number | undefined;
  #movedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: FirstSyncParts) {
    this.#parts = parts;
    // At once: what is folded next by a definition that is paused changes values that are not sent.
    parts.computations.whenCompiled(() => notePauses(parts));
  }

  /** Does as much as its pace allows now. To be called a few times a second. */
  advance(): void {
    const { worker } = this.#parts;
    if (!worker.isOurs || worker.watermarkMs === 0) return;
    const pass = this.#current();
    if (pass === undefined || !pass.isReady || pass.isAtEnd) return;
    if (worker.unwritten >= MAX_UNWRITTEN || !this.#parts.pace.hasRoom) return;
    this.#look(pass);
    if (!pass.isAtEnd) this.#askTurn();
  }

  /** Goes on in a later turn of the event loop: what has come is folded first. Live calls have the core for most of the time. */
  #askTurn(): void {
    if (this.#turn !== undefined) return;
    const { host } = this.#parts;
    const goOn = (): void => {
      this.#turn = undefined;
      this.advance();
    };
    const restMs = Math.max(REST.leastMs, REST.turns * this.#turnTookMs);
    this.#turn = this.#isLive() ? host.setTimeout(goOn, restMs) : host.setImmediate(goOn);
  }

  #isLive(): boolean {
    const [position, nowMs] = [this.#parts.position(), this.#parts.host.elapsed()];
    if (this.#position !== undefined && this.#position !== position) this.#movedAtMs = nowMs;
    this.#position = position;
    return nowMs - this.#movedAtMs < LIVE_MS;
  }

  /** The pass under way, if its configuration is still the newest; else that of the first that is not done. */
  #current(): Pass | undefined {
    const { progressOf, worker } = this.#parts;
    const configs = [...this.#parts.computations.configs];
    const isSame = configs.some(
      ({ id, updatedAtMs }) => id === this.#pass?.config.id && updatedAtMs === this.#pass.config.updatedAtMs,
    );
    if (this.#pass !== undefined && isSame && this.#pass.term === worker.term) return this.#pass;
    const undone = configs.filter((config) => !isDone(config, progressOf(config.id)));
    for (const config of undone) this.#noteBackfill(config);
    const next = undone
      .filter((config) => config.deletedAtMs !== null || this.#isReady(config))
      .sort((a, b) => a.updatedAtMs - b.updatedAtMs)[0];
    this.#pass = next && this.#begin(next);
    return this.#pass;
  }

  /** Of one with a leaf that looks back: once that is counted. */
  #isReady({ id }: AudienceConfig): boolean {
    return this.#parts.computations.newestOf(id)?.state !== "preparing";
  }

  /** How far the log is read again for it. */
  #noteBackfill(config: AudienceConfig): void {
    if (config.deletedAtMs !== null || this.#isReady(config)) return;
    const { nowMs, progressOf, report } = this.#parts;
    const known = progressOf(config.id);
    const events = this.#eventsOf(config);
    const isSame = known?.generation === config.generation && known.state === "preparing";
    if (isSame && known.eventsDone === events.eventsDone && known.eventsTotal === events.eventsTotal) return;
    report({ ...this.#begun(config, known), ...events, updatedAtMs: nowMs() });
  }

  #leavesOf({ id }: AudienceConfig): AudienceProgress[] {
    const { computations, registry } = this.#parts;
    const uses = computations.usesOf(computations.newestOf(id));
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

  #begin(config: AudienceConfig): Pass {
    const { nowMs, progressOf, report, worker } = this.#parts;
    const begun = this.#begun(config, progressOf(config.id));
    const past = config.deletedAtMs === null ? { ...this.#coverage(config), ...this.#eventsOf(config) } : {};
    const progress = { ...begun, ...past, updatedAtMs: nowMs() };
    const after = progress.cursor ?? undefined;
    const pass: Pass = { config, progress, term: worker.term, after, isReady: false, isAtEnd: false };
    if (config.deletedAtMs === null) report(progress);
    worker.whenDurable(() => {
      pass.isReady = true;
      this.#askTurn();
    });
    return pass;
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

  #look(pass: Pass): void {
    const { computations, host, pace, worker } = this.#parts;
    const beganAtMs = host.elapsed();
    const affected = computations.dependentsOf(pass.config.id);
    const uses = affected.flatMap((one) => computations.usesOf(one));
    let looked = 0;
    let isAtEnd = true;
    for (const id of worker.store.keys(pass.after)) {
      const isLong = looked % PROFILES_A_LOOK === 0 && host.elapsed() - beganAtMs >= TURN_MS;
      if (looked === PROFILES_A_TURN || isLong || !pace.hasRoom) {
        isAtEnd = false;
        break;
      }
      const profile = worker.load(id);
      if (profile !== undefined && "then" in profile) {
        this.#waitFor(profile, pass);
        isAtEnd = false;
        break;
      }
      if (profile !== undefined && this.#visit(profile, { pass, affected, uses })) worker.change(profile);
      pass.after = id;
      looked += 1;
    }
    pass.isAtEnd = isAtEnd;
    this.#turnTookMs = host.elapsed() - beganAtMs;
    const { after } = pass;
    worker.whenDurable(() => this.#note(pass, { after, looked, isAtEnd }));
  }

  /** Its writer's schema is asked for: passed over, the profile would not be looked at again. */
  #waitFor(profile: Promise<Profile>, pass: Pass): void {
    pass.isReady = false;
    const goOn = (): void => {
      pass.isReady = true;
      this.#askTurn();
    };
    profile.then(goOn, goOn);
  }

  /** True when the profile has changed. */
  #visit(
    profile: Profile,
    { affected, pass, uses }: { pass: Pass; affected: Computation[]; uses: readonly LeafUse[] },
  ): boolean {
    const { pace, registry, worker } = this.#parts;
    const before = stateOf(profile, affected);
    const unsent = profile.outbox.length;
    const { deletedAtMs, generation } = pass.config;
    if (deletedAtMs !== null || generation > 1) this.#forgetUnused(profile);
    for (const { plan } of uses)
      if (registry.coverageOf(plan).isReady) profile.backfilled.delete(plan.leaf.key);
    evaluate(profile, affected, worker.watermarkMs);
    pace.take(profile.outbox.length - unsent);
    this.#parts.onChanged(profile.outbox.length - unsent);
    return stateOf(profile, affected) !== before || profile.outbox.length !== unsent;
  }

  /** What only a definition of before, or a deleted audience, asked for; members of that one leave it first. */
  #forgetUnused(profile: Profile): void {
    this.#leave(profile);
    forgetUnused(profile, this.#parts.computations.set);
  }

  /** All that are deleted, at once: what is forgotten next is forgotten of all of them. */
  #leave(profile: Profile): void {
    const { computations, progressOf, worker } = this.#parts;
    for (const config of computations.configs) {
      const { deletedAtMs, id, isExitAll } = config;
      if (deletedAtMs !== null && isExitAll && !isDone(config, progressOf(id)))
        leaveAudience(profile, config, worker.watermarkMs);
    }
  }

  /** What is durable of the pass. */
  #note(
    pass: Pass,
    { after, isAtEnd, looked }: { after: string | undefined; looked: number; isAtEnd: boolean },
  ): void {
    // Another pass says how far that one is.
    if (this.#pass !== pass) return;
    const { nowMs, progressOf, report } = this.#parts;
    const { deletedAtMs, id } = pass.config;
    const { isPaused, members } = progressOf(id) ?? pass.progress;
    pass.progress = {
      ...pass.progress,
      isPaused,
      members: deletedAtMs === null ? members : 0,
      state: isAtEnd ? (deletedAtMs === null ? "live" : "deleted") : "preparing",
      profilesDone: pass.progress.profilesDone + looked,
      cursor: isAtEnd ? null : (after ?? null),
      updatedAtMs: nowMs(),
    };
    report(pass.progress);
    if (isAtEnd) this.#pass = undefined;
    this.#askTurn();
  }
}
