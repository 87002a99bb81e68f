// Makes what has changed in a partition durable together, one batch after the other, while the next one is folded. A batch, line by line, and
// what a death in between leaves:
//   1. profiles are written, each with its applied offset and with what is not sent yet. Before: nothing has happened, all is read again.
//   2. that is sent: identify calls, state of merged profiles, events that belong to others. Before: whoever owns the partition next reads the
//      event again, and sends it before the event is settled; what came of no event is due at once. The message ids are the same.
//   3. the records are settled. Before: they are read again, and are known by the applied offset.
//   4. the group commits beyond them. Before: what was sent comes again with its record, and is sent once more, under the same message ids.
import { completeRelease, isMuchWaiting, type Profile } from "#audiences";
import { StoreLostError } from "#state";
import {
  type Batch,
  emptyBatch,
  isEmpty,
  leastVersionAfter,
  type Snapshot,
  settledTo,
  snapshotsOf,
  type Taken,
  takeOut,
} from "./batch.ts";
import { isSent, outgoingOf } from "./outgoing.ts";
import type { ProfileCache } from "./profile-cache.ts";
import type { WorkerParts } from "./worker-parts.ts";

interface BatchWriterParts
  extends Pick<
    WorkerParts,
    | "codec"
    | "computations"
    | "host"
    | "leastVersion"
    | "records"
    | "send"
    | "settledTo"
    | "sizes"
    | "store"
    | "telemetry"
  > {
  readonly cache: Pick<ProfileCache, "forget">;
  isOurs(): boolean;
  /** False once nothing is to be written any more. */
  mayWrite(): boolean;
  /** Called when a batch is durable and its records are settled. */
  onCommitted(batch: Batch): void;
  /** A batch, or what it waits for, could not be written. */
  onFailed(error: unknown): void;
}

export class BatchWriter {
  readonly #parts: BatchWriterParts;
  #leastVersion: number;
  #open: Batch = emptyBatch();
  #committing: Batch | undefined;
  #settledTo: number;
  /** Sent, and still written as unsent: no commit says that it is sent. */
  readonly #sent = new Map<string, Profile>();
  readonly #writtenAhead = new Set<Promise<void>>();
  #isFlushAsked = false;

  constructor(parts: BatchWriterParts) {
    this.#parts = parts;
    this.#settledTo = parts.settledTo;
    this.#leastVersion = parts.leastVersion;
  }

  /** What is folded now is of this one. */
  get open(): Batch {
    return this.#open;
  }

  /** All events below it are settled. */
  get settledTo(): number {
    return this.#settledTo;
  }

  /** Whether it is to be written, or is under way. */
  isInHand(id: string): boolean {
    return this.isKept(id) || this.#committing?.changed.has(id) === true;
  }

  /** Whether the next batch may need the profile. */
  isKept(id: string): boolean {
    return this.#open.changed.has(id) || this.#sent.has(id);
  }

  /** Whether the open batch is to be written before more happens to the profile: its record would become too large for Kafka. */
  isFullFor(profile: Profile): boolean {
    return this.#open.changed.has(profile.id) && isMuchWaiting(profile);
  }

  /** As that of `PartitionWorker`. */
  writeAfter(done: Promise<void>): void {
    this.#writtenAhead.add(done);
    const goOn = (): void => {
      if (this.#writtenAhead.delete(done)) this.askFlush();
    };
    done.then(goOn, (error: unknown) => this.#parts.onFailed(error));
  }

  /** Profiles that were sent, and are written as unsent, are written again with the open batch. */
  rewriteSent(): void {
    for (const [id, profile] of this.#sent) this.#open.changed.set(id, profile);
    this.#sent.clear();
  }

  /** Nothing of the profile is to be written. Returns its events of the open batch. */
  takeOut(id: string): Taken[] {
    this.#sent.delete(id);
    return takeOut(this.#open, id);
  }

  /** Nothing of any profile is to be written. Returns all events. */
  takeAll(): Taken[] {
    const taken = [...(this.#committing?.taken ?? []), ...this.#open.taken];
    this.#committing = undefined;
    this.#open = emptyBatch();
    this.#sent.clear();
    return taken;
  }

  /** In a later turn: what is stepped in this one is of the batch too. */
  askFlush(): void {
    if (this.#isFlushAsked) return;
    this.#isFlushAsked = true;
    this.#parts.host.setImmediate(() => {
      this.#isFlushAsked = false;
      this.#flush();
    });
  }

  #flush(): void {
    const mayWrite =
      this.#writtenAhead.size === 0 && this.#committing === undefined && this.#parts.mayWrite();
    if (!mayWrite || isEmpty(this.#open)) return;
    const batch = this.#open;
    this.#open = emptyBatch();
    for (const [id, profile] of this.#sent) if (!batch.changed.has(id)) batch.changed.set(id, profile);
    this.#sent.clear();
    this.#committing = batch;
    this.#commit(batch).then(
      () => this.#committed(batch),
      (error: unknown) => this.#parts.onFailed(error),
    );
  }

  async #commit(batch: Batch): Promise<void> {
    const { cache, codec, computations, isOurs, records, send, sizes, store, telemetry } = this.#parts;
    if (!isOurs()) throw new StoreLostError("the partition is not ours");
    const term = { settledTo: this.#settledTo, leastVersion: this.#leastVersion, take: sizes.take };
    const snapshots = snapshotsOf(batch, codec.entryOf, term);
    this.#leastVersion = leastVersionAfter(snapshots, this.#leastVersion);
    if (snapshots.length > 0) await store.write(snapshots.map(({ entry }) => entry));
    sizes.count(store.end);
    // Given back while it was written, the partition may be another process's.
    if (this.#committing === batch)
      for (const { incompleteBefore, incompleteFor } of snapshots)
        telemetry.incomplete(incompleteBefore, incompleteFor);
    const outgoing = snapshots.flatMap((one) => outgoingOf(one, records, computations.computationOf));
    if (!isOurs()) throw new StoreLostError("the partition is not ours");
    if (outgoing.push(...batch.passedOn) > 0) await send(outgoing);
    // Given back while it was sent: its next owner sends it again, under the same ids.
    if (this.#committing !== batch) return;
    for (const snapshot of snapshots) this.#markSent(snapshot);
    for (const id of batch.removed) if (!this.#open.changed.has(id)) cache.forget(id);
    this.#settledTo = settledTo(batch, this.#settledTo);
    for (const { settle } of batch.taken) settle({ produce: [] });
    for (const done of batch.whenDurable) done();
  }

  #markSent({ flips, isSentWithEvent, profile, releaseTo }: Snapshot): void {
    if (flips.length === 0 && releaseTo === undefined) return;
    profile.outbox = profile.outbox.filter((flip) => !flips.includes(flip));
    if (releaseTo !== undefined && profile.redirectTo === releaseTo) completeRelease(profile);
    this.#parts.telemetry.sent(flips.filter(isSent), this.#parts.host.now());
    if (!isSentWithEvent && !this.#open.changed.has(profile.id)) this.#sent.set(profile.id, profile);
  }

  #committed(batch: Batch): void {
    if (this.#committing !== batch) return;
    this.#committing = undefined;
    this.#parts.onCommitted(batch);
    if (!isEmpty(this.#open)) this.askFlush();
  }
}
