// Looks at the profiles of anonymous ids of one partition, again and again, a few at a time: those that nobody has used for the retention go. A
// pass keeps nothing of how far it is: after a restart, or with another owner, it begins with the first one, and a profile that has gone is not
// found again. What a death leaves of one profile:
//   1. it is emptied in memory. Nothing has happened.
//   2. it is written, with what its members are to be sent. Its next owner finds it due, and sends that.
//   3. that is sent. It is sent once more, under the same ids, before the profile is written without it.
//   4. it stays empty for a day, so that nothing meets its id anew that was sent of it, or is written late by a former owner.
//   5. its tombstone is written. Before: the next pass finds it. It says what it removes, so one that is written late removes nothing newer.
//   6. it goes from the disk. Before: the changelog says so to whoever reads on from the checkpoint.
import { anonymousProfileId, type ComputationSet, type Expiry, expire } from "#audiences";
import type { Host } from "#host";
import type { PartitionWorker } from "./partition-worker.ts";
import type { ProfileTelemetry } from "./profile-telemetry.ts";

const DAY_MS = 86_400_000;
/** Passes of a retention at least, where that is short. */
const PASSES = 8;
/** Of one turn of the event loop, four times a second: decoding one takes some 15 µs. */
const PROFILES_A_TURN = 64;
const TURN_MS = 2;
/** While so many wait to be written no more are changed. */
const MAX_UNWRITTEN = 512;
const AGAIN_AFTER_MS = 10_000;

/** Keys behind it are those of anonymous ids, and further ones of users. */
const FIRST = anonymousProfileId("");

/** Where the partition's log begins, and how far it is committed. */
export interface LogBounds {
  readonly committedTo: number;
  readonly logStart: number;
}

export interface ExpiryPassParts {
  readonly retentionMs: number;
  readonly worker: Pick<
    PartitionWorker,
    "change" | "isOurs" | "remove" | "store" | "term" | "unwritten" | "view" | "watermarkMs" | "whenDurable"
  >;
  readonly computations: { readonly set: ComputationSet };
  readonly telemetry: Pick<ProfileTelemetry, "changed" | "expired">;
  readonly host: Pick<Host, "now" | "elapsed">;
  /** Asked for once a pass. */
  bounds(): Promise<LogBounds>;
  onError(error: unknown): void;
}

interface Pass extends LogBounds {
  /** Last key looked at. */
  after: string;
  /** Of the worker: what was changed in an earlier one and is not durable was forgotten. */
  readonly term: number;
}

export class ExpiryPass {
  readonly #parts: ExpiryPassParts;
  #pass: Pass | undefined;
  #isBeginning = false;
  #nextAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ExpiryPassParts) {
    this.#parts = parts;
  }

  /** Looks at a few. To be called a few times a second. */
  advance(): void {
    const { retentionMs, worker } = this.#parts;
    if (retentionMs === Number.POSITIVE_INFINITY || !worker.isOurs || worker.watermarkMs === 0) return;
    if (this.#pass?.term !== worker.term) this.#begin();
    else if (worker.unwritten < MAX_UNWRITTEN) this.#look(this.#pass);
  }

  #begin(): void {
    const { bounds, host, onError, worker } = this.#parts;
    if (this.#isBeginning || host.now() < this.#nextAtMs) return;
    this.#isBeginning = true;
    const { term } = worker;
    const begin = (log: LogBounds): void => {
      this.#isBeginning = false;
      this.#pass = { ...log, term, after: FIRST };
    };
    bounds().then(begin, (error: unknown) => {
      this.#isBeginning = false;
      this.#nextAtMs = host.now() + AGAIN_AFTER_MS;
      onError(error);
    });
  }

  #look(pass: Pass): void {
    const { host, retentionMs, worker } = this.#parts;
    const beganAtMs = host.elapsed();
    let looked = 0;
    for (const id of worker.store.keys(pass.after)) {
      if (looked === PROFILES_A_TURN || host.elapsed() - beganAtMs >= TURN_MS) return;
      pass.after = id;
      if (!id.startsWith(FIRST)) continue;
      looked += 1;
      this.#visit(id, pass);
    }
    this.#pass = undefined;
    this.#nextAtMs = host.now() + Math.min(DAY_MS, retentionMs / PASSES);
  }

  #visit(id: string, log: LogBounds): void {
    const { computations, retentionMs, telemetry, worker } = this.#parts;
    const profile = worker.view(id);
    if (profile === undefined) return;
    const moment = { ...log, retentionMs, nowMs: worker.watermarkMs };
    const expiry = expire(profile, computations.set, moment);
    if (expiry === "kept") return;
    if (expiry === "removed" || expiry === "unlinked") worker.remove(profile);
    else worker.change(profile);
    telemetry.changed("expiry", profile.outbox.length);
    this.#count(expiry);
  }

  #count(expiry: Expiry): void {
    const { telemetry, worker } = this.#parts;
    if (expiry === "emptied" || expiry === "removed" || expiry === "unlinked")
      worker.whenDurable(() => telemetry.expired(expiry, 1));
  }
}
