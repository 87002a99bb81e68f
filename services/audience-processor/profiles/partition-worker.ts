// One partition of profiles. Events are folded in the order of the log, in memory, as they come; what has changed is made durable together
// (batch-writer.ts). What an event has changed is not written as sent: the commit says so, and the next write leaves it out. What time or a
// first sync has changed has no event: its profile is written without it, with the next batch. Who enters or leaves is counted with 1 (sizes/).
import { createProfile, type Profile } from "#audiences";
import { type PartitionStore, StoreLostError } from "#state";
import { applyHappening } from "./apply-happening.ts";
import type { Batch, Taken } from "./batch.ts";
import { BatchWriter } from "./batch-writer.ts";
import { DueProfiles, isFull } from "./due-profiles.ts";
import { ProfileCache } from "./profile-cache.ts";
import { WaitingEvents } from "./waiting-events.ts";
import type { WorkerParts } from "./worker-parts.ts";

export class PartitionWorker {
  readonly #parts: WorkerParts;
  readonly #cache: ProfileCache;
  readonly #due: DueProfiles;
  readonly #waiting: WaitingEvents;
  readonly #writer: BatchWriter;
  #isClosed = false;
  #term = 0;
  /** The process is to end. What is in hand is held until then: given back, it would come again at once, and again. */
  #isFailed = false;
  /** All calls that came before this moment are folded; 0: not known. */
  #watermarkMs = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const isSettled = (offset: number): boolean => offset < this.#writer.settledTo;
    this.#cache = new ProfileCache({ ...parts, isSettled });
    this.#writer = new BatchWriter({
      ...parts,
      cache: this.#cache,
      isOurs: () => this.isOurs,
      mayWrite: () => !this.#isClosed,
      onCommitted: (batch) => this.#committed(batch),
      onFailed: (error) => this.#failed(error),
    });
    this.#due = new DueProfiles({ ...parts, cache: this.#cache });
    this.#waiting = new WaitingEvents({
      ...parts,
      load: (id) => this.#cache.load(id),
      isToBeWritten: (profile) => this.#writer.isFullFor(profile),
      reject: (taken, error) => this.#reject(taken, error),
      fold: (taken, profile) => this.#fold(taken, profile),
      mayFold: () => !this.#isFailed && !this.#isClosed,
      onFailed: (error) => this.#failed(error),
    });
  }

  get watermarkMs(): number {
    return this.#watermarkMs;
  }

  /** All windows have ended up to this moment; 0: not known. What is sent of the last ones may be under way. */
  get endedUntilMs(): number {
    return this.#due.takenUntilMs;
  }

  /** Profiles that wait to be written. */
  get unwritten(): number {
    return this.#writer.open.changed.size;
  }

  /** Another number each time that what was not durable is forgotten, changes from outside included. */
  get term(): number {
    return this.#term;
  }

  get store(): Pick<PartitionStore, "keys" | "count"> {
    return this.#parts.store;
  }

  get isOurs(): boolean {
    return !this.#isClosed && !this.#isFailed && this.#parts.ownership.isOurs;
  }

  get isFailed(): boolean {
    return this.#isFailed;
  }

  /** Records come in the order of the log. */
  take(taken: Taken): void {
    if (this.#isClosed) {
      taken.claim.giveBack();
      return;
    }
    this.#waiting.push(taken);
  }

  /** Lets time pass: timers that are due by then fire. Also what an earlier owner left unsent is sent. */
  advanceTo(watermarkMs: number): void {
    this.#waiting.goOn();
    // Events that are held back here may prolong what would end.
    if (this.#waiting.isEmpty) this.#watermarkMs = Math.max(this.#watermarkMs, watermarkMs);
    if (!this.isOurs) return;
    this.#writer.rewriteSent();
    this.#takeDue();
    this.#writer.askFlush();
  }

  /** Until the returned function is called events wait. */
  hold(): () => void {
    return this.#waiting.hold();
  }

  /** Nothing is written until it resolves: what is folded meanwhile follows from it. */
  writeAfter(done: Promise<void>): void {
    this.#writer.writeAfter(done);
  }

  /** The profile for a look; undefined also when it cannot be read. A promise when it cannot be had at once: it is to be asked for again then. */
  load(id: string): Profile | undefined | Promise<unknown> {
    return this.#cache.look(id);
  }

  /** The profile for a look; undefined when it is not there, or cannot be had at once. Not to be changed but by `change`. */
  peek(id: string): Profile | undefined {
    return this.#cache.peek(id);
  }

  /** The profile has changed otherwise than by an event. */
  change(profile: Profile): void {
    this.#cache.keep(profile);
    this.#writer.open.changed.set(profile.id, profile);
    this.#writer.askFlush();
  }

  /** As `peek`, of all profiles one after the other: those that nobody uses do not push out others. */
  view(id: string): Profile | undefined {
    return this.#cache.view(id);
  }

  /** The profile is empty, and its record goes, unless an event comes for it before that is written. */
  remove(profile: Profile): void {
    this.#writer.open.removed.add(profile.id);
    this.change(profile);
  }

  /** Called once all that was folded until now is durable; never when the term ends before. */
  whenDurable(done: () => void): void {
    this.#writer.open.whenDurable.push(done);
    this.#writer.askFlush();
  }

  /** The partition is lost, or nothing is read of it any more: what is not durable is its next owner's. */
  close(): void {
    this.#isClosed = true;
    this.#giveAllBack();
  }

  /** A record that cannot be folded becomes a dead letter; its profile is as it was before. */
  #fold(taken: Taken, known: Profile | undefined): void {
    const { host, noteEveryMs, records, telemetry } = this.#parts;
    const { record } = taken;
    const { open } = this.#writer;
    open.removed.delete(record.key ?? "");
    const profile = known ?? createProfile(record.key ?? "", record.offset);
    try {
      const { set } = this.#parts.computations;
      const now = { set, watermarkMs: this.#watermarkMs, nowMs: host.now(), records, noteEveryMs };
      const { incompleteFor } = profile;
      const unsent = profile.outbox.length;
      const { isToWrite, outcome, passedOn } = applyHappening(profile, record, now);
      telemetry.folded(record.decoded.event.kind, outcome);
      telemetry.changed(record.decoded.event.kind, profile.outbox.length - unsent);
      open.passedOn.push(...passedOn);
      open.taken.push(taken);
      if (isToWrite || profile.incompleteFor !== incompleteFor) this.change(profile);
      else this.#writer.askFlush();
    } catch (thrown) {
      this.#reject(taken, thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  #reject({ record, settle }: Taken, error: Error): void {
    const id = record.key ?? "";
    this.#cache.forget(id);
    // A pass may have changed it: each goes on from what is durable.
    if (this.#writer.open.changed.has(id)) this.#term += 1;
    const again = this.#writer.takeOut(id);
    settle({ produce: [this.#parts.deadLetter(record, error)] });
    this.#waiting.unshift(again);
  }

  #takeDue(): void {
    const isInHand = (id: string): boolean => this.#writer.isInHand(id);
    for (const profile of this.#due.take(this.#writer.open, this.#watermarkMs, isInHand))
      this.change(profile);
  }

  #committed(batch: Batch): void {
    this.#cache.shrink((id) => this.#writer.isKept(id));
    this.#waiting.goOn();
    if (isFull(batch) && this.isOurs) this.#takeDue();
  }

  /** Nothing of the batch, and of what was folded on top of it, counts: all of it is read again, here or by the next owner. */
  #failed(error: unknown): void {
    if (error instanceof StoreLostError || this.#isClosed) {
      this.#giveAllBack();
      if (error instanceof StoreLostError) return;
    }
    this.#isFailed = true;
    this.#parts.onFailed(error);
  }

  #giveAllBack(): void {
    this.#term += 1;
    // Of what comes again nothing is folded any more: it is judged by its own moments, not by the later one that time has reached.
    this.#watermarkMs = 0;
    this.#due.forget();
    const taken = [...this.#writer.takeAll(), ...this.#waiting.takeAll()];
    this.#cache.clear();
    this.#parts.sizes.drop();
    for (const { claim } of taken) claim.giveBack();
  }
}
