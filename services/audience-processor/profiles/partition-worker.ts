// One partition of profiles. Events are folded in the order of the log, in memory, as they come; what has changed is made durable together,
// one batch after the other, while the next one is folded. A batch, line by line, and what a death in between leaves:
//   1. profiles are written, each with its applied offset and with what is not sent yet. Before: nothing has happened, all is read again.
//   2. that is sent: identify calls, state of merged profiles, events that belong to others. Before: whoever owns the partition next reads the
//      event again, and sends it before the event is settled; what came of no event is due at once. The message ids are the same.
//   3. the records are settled. Before: they are read again, and are known by the applied offset.
//   4. the group commits beyond them. Before: what was sent comes again with its record, and is sent once more, under the same message ids.
// What an event has changed is not written as sent: the commit says so, and the next write leaves it out. What time or a first sync has changed
// has no event: its profile is written without it, with the next batch. Who enters or leaves is counted with 1 (sizes/).
import { completeRelease, createProfile, type Profile } from "#audiences";
import { type PartitionStore, StoreLostError } from "#state";
import { applyHappening, membersOf } from "./apply-happening.ts";
import {
  type Batch,
  emptyBatch,
  isEmpty,
  leastVersionOf,
  type Snapshot,
  settledTo,
  snapshotsOf,
  type Taken,
  takeOut,
} from "./batch.ts";
import { DueProfiles, isFull } from "./due-profiles.ts";
import { isSent, outgoingOf } from "./outgoing.ts";
import { ProfileCache } from "./profile-cache.ts";
import { WaitingEvents } from "./waiting-events.ts";
import type { WorkerParts } from "./worker-parts.ts";

export class PartitionWorker {
  readonly #parts: WorkerParts;
  readonly #cache: ProfileCache;
  readonly #due: DueProfiles;
  readonly #waiting: WaitingEvents;
  #open: Batch = emptyBatch();
  #committing: Batch | undefined;
  /** All events below it are settled. */
  #settledTo: number;
  readonly #leastVersion: number;
  /** Sent, and still written as unsent: no commit says that it is sent. */
  readonly #sent = new Map<string, Profile>();
  #isFlushAsked = false;
  #isClosed = false;
  readonly #writtenAhead = new Set<Promise<void>>();
  #term = 0;
  /** The process is to end. What is in hand is held until then: given back, it would come again at once, and again. */
  #isFailed = false;
  /** All calls that came before this moment are folded; 0: not known. */
  #watermarkMs = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#settledTo = parts.settledTo;
    this.#leastVersion = leastVersionOf(parts.store.reached);
    this.#cache = new ProfileCache({ ...parts, isSettled: (offset) => offset < this.#settledTo });
    this.#due = new DueProfiles({ ...parts, cache: this.#cache });
    this.#waiting = new WaitingEvents({
      ...parts,
      load: (id) => this.#cache.load(id),
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
    return this.#open.changed.size;
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
    for (const [id, profile] of this.#sent) this.#open.changed.set(id, profile);
    this.#sent.clear();
    this.#takeDue();
    this.#askFlush();
  }

  /** Until the returned function is called events wait. */
  hold(): () => void {
    return this.#waiting.hold();
  }

  /** Nothing is written until it resolves: what is folded meanwhile follows from it. */
  writeAfter(done: Promise<void>): void {
    this.#writtenAhead.add(done);
    const goOn = (): void => {
      if (this.#writtenAhead.delete(done)) this.#askFlush();
    };
    done.then(goOn, (error: unknown) => this.#failed(error));
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
    this.#open.changed.set(profile.id, profile);
    this.#askFlush();
  }

  /** As `peek`, of all profiles one after the other: those that nobody uses do not push out others. */
  view(id: string): Profile | undefined {
    return this.#cache.view(id);
  }

  /** The profile is empty, and its record goes, unless an event comes for it before that is written. */
  remove(profile: Profile): void {
    this.#open.removed.add(profile.id);
    this.change(profile);
  }

  /** Called once all that was folded until now is durable; never when the term ends before. */
  whenDurable(done: () => void): void {
    this.#open.whenDurable.push(done);
    this.#askFlush();
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
    this.#open.removed.delete(record.key ?? "");
    const profile = known ?? createProfile(record.key ?? "", record.offset);
    try {
      const { set } = this.#parts.computations;
      const now = { set, watermarkMs: this.#watermarkMs, nowMs: host.now(), records, noteEveryMs };
      const members = record.decoded.event.kind === "call" ? [] : membersOf(profile);
      const { incompleteFor } = profile;
      const unsent = profile.outbox.length;
      const { isToWrite, outcome, passedOn } = applyHappening(profile, record, now);
      telemetry.folded(record.decoded.event.kind, outcome);
      telemetry.changed(record.decoded.event.kind, profile.outbox.length - unsent);
      telemetry.incomplete(incompleteFor, profile.incompleteFor);
      this.#open.passedOn.push(...passedOn);
      this.#open.taken.push(taken);
      if (outcome === "applied" && profile.results.size === 0) telemetry.membersLeft(members);
      if (isToWrite || profile.incompleteFor !== incompleteFor) this.change(profile);
      else this.#askFlush();
    } catch (thrown) {
      this.#reject(taken, thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  #reject({ record, settle }: Taken, error: Error): void {
    const id = record.key ?? "";
    this.#cache.forget(id);
    this.#sent.delete(id);
    const again = takeOut(this.#open, id);
    settle({ produce: [this.#parts.deadLetter(record, error)] });
    this.#waiting.unshift(again);
  }

  #takeDue(): void {
    const open = this.#open;
    const isInHand = (id: string): boolean =>
      open.changed.has(id) || this.#sent.has(id) || this.#committing?.changed.has(id) === true;
    for (const profile of this.#due.take(open, this.#watermarkMs, isInHand)) this.change(profile);
  }

  /** In a later turn: what is stepped in this one is of the batch too. */
  #askFlush(): void {
    if (this.#isFlushAsked) return;
    this.#isFlushAsked = true;
    this.#parts.host.setImmediate(() => {
      this.#isFlushAsked = false;
      this.#flush();
    });
  }

  #flush(): void {
    const mayWrite = this.#writtenAhead.size === 0 && this.#committing === undefined && !this.#isClosed;
    if (!mayWrite || isEmpty(this.#open)) return;
    const batch = this.#open;
    this.#open = emptyBatch();
    for (const [id, profile] of this.#sent) if (!batch.changed.has(id)) batch.changed.set(id, profile);
    this.#sent.clear();
    this.#committing = batch;
    this.#commit(batch).then(
      () => this.#committed(batch),
      (error: unknown) => this.#failed(error),
    );
  }

  async #commit(batch: Batch): Promise<void> {
    const { codec, computations, records, sizes, store } = this.#parts;
    if (!this.isOurs) throw new StoreLostError("the partition is not ours");
    const term = { settledTo: this.#settledTo, leastVersion: this.#leastVersion, take: sizes.take };
    const snapshots = snapshotsOf(batch, codec.entryOf, term);
    if (snapshots.length > 0) await store.write(snapshots.map(({ entry }) => entry));
    sizes.count(store.end);
    const outgoing = snapshots.flatMap((one) => outgoingOf(one, records, computations.computationOf));
    if (!this.isOurs) throw new StoreLostError("the partition is not ours");
    if (outgoing.push(...batch.passedOn) > 0) await this.#parts.send(outgoing);
    // Given back while it was sent: its next owner sends it again, under the same ids.
    if (this.#committing !== batch) return;
    for (const snapshot of snapshots) this.#markSent(snapshot);
    for (const id of batch.removed) if (!this.#open.changed.has(id)) this.#cache.forget(id);
    this.#settledTo = settledTo(batch, this.#settledTo);
    for (const { settle } of batch.taken) settle({ produce: [] });
    for (const done of batch.whenDurable) done();
  }

  #markSent({ flips, isSentWithEvent, profile, releaseTo }: Snapshot): void {
    if (flips.length === 0 && releaseTo === undefined) return;
    profile.outbox = profile.outbox.filter((flip) => !flips.includes(flip));
    const { incompleteFor } = profile;
    if (releaseTo !== undefined && profile.redirectTo === releaseTo) completeRelease(profile);
    this.#parts.telemetry.incomplete(incompleteFor, profile.incompleteFor);
    this.#parts.telemetry.sent(flips.filter(isSent), this.#parts.host.now());
    if (!isSentWithEvent && !this.#open.changed.has(profile.id)) this.#sent.set(profile.id, profile);
  }

  #committed(batch: Batch): void {
    if (this.#committing !== batch) return;
    this.#committing = undefined;
    this.#cache.shrink((id) => this.#open.changed.has(id) || this.#sent.has(id));
    if (isFull(batch) && this.isOurs) this.#takeDue();
    if (!isEmpty(this.#open)) this.#askFlush();
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
    const taken = [...(this.#committing?.taken ?? []), ...this.#open.taken];
    this.#committing = undefined;
    this.#open = emptyBatch();
    taken.push(...this.#waiting.takeAll());
    this.#cache.clear();
    this.#sent.clear();
    this.#parts.sizes.drop();
    for (const { claim } of taken) claim.giveBack();
  }
}
