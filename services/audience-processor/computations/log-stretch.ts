// One stretch of a partition's log, read again for leaves that look back, and added to the profiles.
import {
  addPast,
  type CallMemory,
  type ComputationSet,
  countsFromOf,
  type Gathered,
  Gathering,
  isFull,
  keepInRoom,
  type LeafUse,
  type Profile,
} from "#audiences";
import type { Host } from "#host";
import type { Kafka, RawRecord } from "#kafka";
import type { Happening } from "../profiles/event.ts";
import type { PartitionWorker } from "../profiles/partition-worker.ts";
import type { TurnTime } from "../turn-time.ts";
import type { Pace } from "./pace.ts";

/** Of one stretch: what is gathered is in memory, about 500 bytes a profile. */
const MOST = { profiles: 20_000, events: 200_000 };
/** While so many wait to be written no more are changed. */
const MAX_UNWRITTEN = 512;
/** Profiles of one turn of the event loop. */
const PROFILES_A_TURN = 64;
const WAIT_MS = 20;

export interface StretchParts {
  readonly topic: string;
  readonly partition: number;
  readonly kafka: Pick<Kafka, "readRange">;
  readonly host: Pick<Host, "now" | "delay">;
  readonly worker: PartitionWorker;
  readonly pace: Pace;
  readonly turnTime: TurnTime;
  readonly signal: AbortSignal;
  readonly computations: { readonly set: ComputationSet };
  /** As that of `PassWorkParts`. */
  onChanged(values: number): void;
  decode(record: RawRecord): Happening | Promise<Happening>;
}

/** The partition is not ours any more, what was changed was forgotten, or nobody asks for it: it goes on from what is durable. */
export class TermEndedError extends Error {
  override readonly name = "TermEndedError";
}

class FullError extends Error {
  override readonly name = "FullError";
}

/** What a stretch is read for. */
export interface Reading {
  readonly uses: readonly LeafUse[];
  readonly isEnded: boolean;
}

type Take = (...given: Parameters<Gathering["take"]>) => void;

export class LogStretch {
  readonly #parts: StretchParts;
  readonly #gathering: Gathering;
  readonly #term: number;
  readonly #run: Reading;
  #toOffset: number;

  constructor(
    parts: StretchParts,
    { calls, fromOffset, run }: { run: Reading; calls: CallMemory; fromOffset: number },
  ) {
    this.#parts = parts;
    this.#run = run;
    this.#toOffset = fromOffset;
    this.#term = parts.worker.term;
    const { host, worker } = parts;
    this.#gathering = new Gathering({
      uses: run.uses,
      calls,
      nowMs: host.now(),
      judgedFromMs: worker.watermarkMs,
    });
  }

  /** Remembers the calls of a stretch that was counted already. */
  async remember(fromOffset: number, toOffset: number): Promise<void> {
    await this.#read(fromOffset, toOffset, (past, load) => this.#gathering.pass(past, load));
  }

  /** Counts calls up to the end, or until it has enough; resolves with the first offset that is not counted. */
  async gather(endOffset: number): Promise<number> {
    const fromOffset = this.#toOffset;
    const toOffset = Math.min(endOffset, fromOffset + MOST.events);
    this.#toOffset = toOffset;
    try {
      await this.#read(fromOffset, toOffset, (past, load) => {
        this.#gathering.take(past, load);
        if (this.#gathering.profiles.size < MOST.profiles) return;
        this.#toOffset = past.offset + 1;
        throw new FullError();
      });
    } catch (error) {
      if (!(error instanceof FullError)) throw error;
    }
    return this.#toOffset;
  }

  /** Resolves once all of it is durable. What a death leaves behind is known by the offset that each profile keeps. */
  async add(): Promise<void> {
    const { host, worker } = this.#parts;
    let added = 0;
    for (const [id, gathered] of this.#gathering.profiles) {
      const profile = await this.#profileToChange(id);
      if (profile === undefined || isFull(profile)) continue;
      if (profile.deletedAtMs !== gathered.deletedAtMs || countsFromOf(profile) !== gathered.countsFrom)
        continue;
      this.#addTo(profile, gathered);
      worker.change(profile);
      added += 1;
      if (added % PROFILES_A_TURN === 0) await host.delay(0);
      while (worker.unwritten >= MAX_UNWRITTEN) await this.#wait();
    }
    let isDurable = false;
    worker.whenDurable(() => {
      isDurable = true;
    });
    while (!isDurable) await this.#wait();
  }

  /** What was counted as calls came had to fit; what was gathered may be more. */
  #addTo(profile: Profile, { states }: Gathered): void {
    const { computations, onChanged, worker } = this.#parts;
    const unsent = profile.outbox.length;
    const nowMs = Math.max(1, worker.watermarkMs);
    addPast(profile, states, { uses: this.#run.uses, toOffset: this.#toOffset, nowMs });
    keepInRoom(profile, computations.set, nowMs);
    onChanged(profile.outbox.length - unsent);
  }

  #checkTerm(): void {
    const { signal, worker } = this.#parts;
    if (signal.aborted || worker.term !== this.#term)
      throw new TermEndedError("what was not durable is forgotten");
    if (this.#run.isEnded) throw new TermEndedError("nobody asks for one of the leaves any more");
  }

  async #wait(): Promise<void> {
    this.#checkTerm();
    await this.#parts.host.delay(WAIT_MS);
    this.#checkTerm();
  }

  async #loaded(id: string): Promise<Profile | undefined> {
    for (;;) {
      const profile = this.#parts.worker.load(id);
      if (profile === undefined || !("then" in profile)) return profile;
      await profile;
    }
  }

  /** One that is being given to another profile is waited for: what is added now would be taken for given. */
  async #profileToChange(id: string): Promise<Profile | undefined> {
    for (;;) {
      this.#checkTerm();
      await this.#loaded(id);
      // Between this look and the change nothing else may happen.
      const profile = this.#parts.worker.peek(id);
      if (profile?.redirectTo === undefined || profile.judgedAtMs === 0) return profile;
      await this.#wait();
    }
  }

  async #read(fromOffset: number, toOffset: number, take: Take): Promise<void> {
    const { kafka, partition, signal, topic } = this.#parts;
    const onRecord = (record: RawRecord) => this.#onRecord(record, take);
    await kafka.readRange({ topic, partition, fromOffset, toOffset, signal, onRecord });
  }

  #onRecord(record: RawRecord, take: Take): void | Promise<void> {
    this.#checkTerm();
    const decoded = readable(() => this.#parts.decode(record));
    if (decoded === undefined || !("then" in decoded)) return this.#take(record, decoded, take);
    return decoded.catch(unreadable).then((happening) => this.#take(record, happening, take));
  }

  #take(
    { key: profileId, offset }: RawRecord,
    happening: Happening | undefined,
    take: Take,
  ): void | Promise<void> {
    if (happening === undefined || profileId === null) return this.#keepPace();
    const { event } = happening;
    if (event.kind === "merge") {
      const past = { profileId, offset, moved: event.moved };
      return this.#withProfile(profileId, (load) => this.#gathering.merged(past, load));
    }
    if (event.kind !== "call" || !this.#gathering.asksFor(event.call)) return this.#keepPace();
    const passedByLinkMs = happening.record.passedBy.at(-1)?.linkedAtMs;
    const past = { profileId, offset, call: event.call, passedByLinkMs };
    return this.#withProfile(profileId, (load) => take(past, load));
  }

  #withProfile(id: string, look: (load: () => Profile | undefined) => void): void | Promise<void> {
    const profile = this.#gathering.knows(id) ? undefined : this.#parts.worker.load(id);
    if (profile === undefined || !("then" in profile)) {
      this.#look(() => look(() => profile));
      return this.#keepPace();
    }
    return this.#loaded(id).then((loaded) => {
      this.#look(() => look(() => loaded));
      return this.#keepPace();
    });
  }

  #look(look: () => void): void {
    const { turnTime } = this.#parts;
    turnTime.begin();
    try {
      readable(look);
    } finally {
      turnTime.end();
    }
  }

  #keepPace(): void | Promise<void> {
    const { pace, turnTime } = this.#parts;
    pace.take(1);
    return pace.hasRoom ? turnTime.pause() : this.#wait();
  }
}

/** What cannot be read was a dead letter when it came. */
function readable<R>(read: () => R): R | undefined {
  try {
    return read();
  } catch (error) {
    return unreadable(error);
  }
}

function unreadable(error: unknown): undefined {
  const isOurs = error instanceof FullError || error instanceof TermEndedError;
  const isForNow =
    typeof error === "object" && error !== null && "canRetry" in error && error.canRetry === true;
  if (isOurs || isForNow) throw error;
  return undefined;
}
