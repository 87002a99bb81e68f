// The window of call ids that one partition's owner keeps, to drop a call that comes a second time (contract 1.8).
//
// The window follows from the partition's log alone: it has for each id the offset of the record that first carried it.
// Noting a record again gives the same answer as the first time, in any process and after any crash:
//   - The id is unknown, or known with the same offset: this record is the first to carry the id, and is routed, even
//     if it was routed before. A process may have died between noting a record and having its jobs acknowledged, and
//     dropping the record now would lose the call.
//   - The id has a smaller offset: a duplicate. Its first copy is earlier in the same partition; it has been
//     committed, or it is read again before this one's offset can be.
//   - The id has a larger offset: the topic was created again since. The record counts as the first.
//
// Disk lags behind memory by up to half a second; `reached` is written in the transaction that brings its ids. Death
// at any point leaves some `reached` on disk together with exactly the ids below it, and the owner notes everything
// from there on again before it routes on.

import type { CallIdentity } from "#contract";
import type { Host } from "#host";

/** "again": the very record that was noted first, read once more. */
export type Noted = "first" | "again" | "duplicate";

export interface NotedRecord extends CallIdentity {
  readonly offset: number;
  /** When ingest accepted the call. */
  readonly receivedAtMs: number;
}

export interface DedupeWindow {
  /** Says whether the record is the first to carry its id, and remembers it. Records come in the order of their offsets. */
  note(record: NotedRecord): Noted;
  /**
   * The offset at which a call with the same source and messageId was noted without its user, so that it is
   * not known whether that one is a copy. The caller looks up its user and calls `clarify` first. Undefined:
   * `note` knows.
   */
  unclearFor(call: CallIdentity, offset: number): number | undefined;
  /** Names the call at such an offset; undefined: it cannot be known any more, and it is no call's copy. */
  clarify(offset: number, call: CallIdentity | undefined): void;
  /**
   * True: below what was reached stands a call that was not noted there, as its log was cut and written again. Before it is noted `goBackTo` its
   * offset is to be on disk, or a start would take what stands from there on for noted.
   */
  contradicts(call: CallIdentity, offset: number): boolean;
  /** Whether it still holds what calls of this time may be copies of, but for a 24th at most. */
  isGoodFor(timeMs: number): boolean;
  /** Records from this offset on are noted again. */
  goBackTo(offset: number): void;
  /** Every record below this offset has been noted. */
  readonly reached: number;
  /** Says that nothing below this offset is to be noted any more. */
  advanceTo(offset: number): void;
  /** Ids that are not on disk yet: while they are many, a caller should wait before it notes more. */
  readonly unwritten: number;
  /** Writes what is not written; rejects when the disk refuses. */
  flush(): Promise<void>;
  /** Flushes and closes; closes also when it rejects. */
  close(): Promise<void>;
}

export interface DedupeWindowOptions {
  /** Folder of this one partition; made when it is missing. Losing it costs a rebuild, nothing else. */
  readonly directory: string;
  /** Ids are remembered for at least this long, and for a 24th more at most. */
  readonly windowMs: number;
  readonly host: Pick<Host, "now" | "setTimeout">;
  /** Called when a flush in the background failed; what it held is written with the next one. */
  onError(error: unknown): void;
  /** Called when the files could not be read, and an empty window was opened instead. */
  onDiscarded(error: unknown): void;
}
