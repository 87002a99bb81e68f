// One partition evaluates all its profiles against what is new, edited or resumed, and lets go of what was deleted; a few at a time.
import type { ComputationSet } from "#audiences";
import type { Host, Timer } from "#host";
import type { AudienceConfig, AudienceProgress } from "#topics";
import { Looks } from "./looks.ts";
import { choose, isDone, isSame, type Pass } from "./pass.ts";
import { type Looked, PassProgress, type PassProgressParts } from "./pass-progress.ts";
import { PassWork, type PassWorkParts } from "./pass-work.ts";
import { notePauses } from "./pauses.ts";

/** Profiles of one turn of the event loop at most, and how long a turn may take: each step of a live call may wait for one. */
const PROFILES_A_TURN = 64;
const TURN_MS = 2;
/** While calls come, a pass rests after each turn: for so many times what the turn took, and so long at least. */
const REST = { turns: 2, leastMs: 5 };
/** Calls come, if one came so lately. */
const LIVE_MS = 1_000;
/** While so many wait to be written no more are looked at. */
const MAX_UNWRITTEN = 512;

export interface FirstSyncParts extends PassWorkParts, Omit<PassProgressParts, keyof PassWorkParts> {
  readonly host: Pick<Host, "elapsed" | "setImmediate" | "setTimeout">;
  progressChanges(): number;
  /** Resolves when all of it is written; tries until then, or until the partition is lost. */
  reportDurably(progress: readonly AudienceProgress[]): Promise<void>;
}

export class FirstSync {
  readonly #parts: FirstSyncParts;
  readonly #progress: PassProgress;
  readonly #looks: Looks;
  #pass: Pass | undefined;
  /** By which it was noted what is not ready. */
  #set: ComputationSet | undefined;
  #work: PassWork | undefined;
  #turn: Timer | undefined;
  #turnTookMs = 0;
  /** Where events were read at the last look, and when that had moved. */
  #position: number | undefined;
  #movedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: FirstSyncParts) {
    this.#parts = parts;
    this.#progress = new PassProgress(parts);
    this.#looks = new Looks(parts);
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

  /** The pass under way, if what it looks for is still configured so; else one for those that are not done. */
  #current(): Pass | undefined {
    this.#noteUnready();
    if (this.#pass !== undefined && this.#isCurrent(this.#pass)) return this.#pass;
    if (!this.#looks.isDue()) return undefined;
    const { computations, progressOf } = this.#parts;
    const undone = [...computations.configs].filter((config) => !isDone(config, progressOf(config.id)));
    for (const config of undone) this.#progress.noteBackfill(config);
    const ready = undone.filter((config) => this.#mayEvaluate(config));
    const chosen = choose(ready, (config) => this.#progress.cursorOf(config));
    if (chosen.length === 0) this.#looks.foundNothing();
    this.#pass = chosen.length === 0 ? undefined : this.#begin(chosen);
    return this.#pass;
  }

  /**
   * What was live may be so no more, as a leaf of it has begun anew: nobody is evaluated until that is counted, so then everybody is. Noted before
   * the leaf's fence is written, in whichever pass the partition is.
   */
  #noteUnready(): void {
    const { configs, set } = this.#parts.computations;
    if (set === this.#set) return;
    this.#set = set;
    for (const config of configs) this.#progress.noteBackfill(config);
    if (this.#pass?.parts.every(({ config }) => this.#mayEvaluate(config)) === false) this.#pass = undefined;
  }

  #mayEvaluate(config: AudienceConfig): boolean {
    return config.deletedAtMs !== null || this.#progress.isReady(config);
  }

  #isCurrent(pass: Pass): boolean {
    const { computations, worker } = this.#parts;
    if (pass.version !== computations.version && !isSame(pass, computations.configs)) return false;
    pass.version = computations.version;
    return pass.term === worker.term;
  }

  #begin(configs: readonly AudienceConfig[]): Pass {
    const { computations, report, worker } = this.#parts;
    const parts = configs.map((config) => this.#progress.partOf(config));
    const { version } = computations;
    const after = parts[0]?.progress.cursor ?? undefined;
    const pass: Pass = {
      parts,
      version,
      term: worker.term,
      after,
      isReady: false,
      isAtEnd: false,
      partial: new Set(),
    };
    for (const { config, progress } of parts) if (config.deletedAtMs === null) report(progress);
    worker.whenDurable(() => {
      pass.isReady = true;
      this.#askTurn();
    });
    return pass;
  }

  #look(pass: Pass): void {
    const { host, pace, worker } = this.#parts;
    const beganAtMs = host.elapsed();
    const work = this.#workOf(pass);
    let looked = 0;
    let isAtEnd = true;
    for (const id of worker.store.keys(pass.after)) {
      const isLong = looked > 0 && host.elapsed() - beganAtMs >= TURN_MS;
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
      if (profile !== undefined && work.visit(profile)) worker.change(profile);
      pass.after = id;
      looked += 1;
    }
    pass.isAtEnd = isAtEnd;
    this.#turnTookMs = host.elapsed() - beganAtMs;
    const { after } = pass;
    worker.whenDurable(() => this.#note(pass, { after, looked, isAtEnd }));
  }

  /** Found once for all profiles. */
  #workOf(pass: Pass): PassWork {
    if (this.#work?.isOf(pass) !== true) this.#work = new PassWork(this.#parts, pass);
    return this.#work;
  }

  /** Its writer's schema is asked for: passed over, the profile would not be looked at again. */
  #waitFor(profile: Promise<unknown>, pass: Pass): void {
    pass.isReady = false;
    const goOn = (): void => {
      pass.isReady = true;
      this.#askTurn();
    };
    profile.then(goOn, goOn);
  }

  /** What is durable of the pass. */
  #note(pass: Pass, looked: Looked): void {
    // Another pass says how far that one is.
    if (this.#pass !== pass) return;
    for (const part of pass.parts) {
      const wasFirstOver = part.progress.isFirstOver;
      this.#progress.note(part, looked, pass.partial);
      // From now on it has track calls.
      if (part.progress.isFirstOver && !wasFirstOver && part.config.hasTrackCalls)
        this.#parts.computations.invalidate();
    }
    if (looked.isAtEnd) this.#pass = undefined;
    this.#askTurn();
  }
}
