// Gives one destination the members that there were when it was connected, and the values of computed traits. What is left behind when the
// process dies, line by line:
//
//   begun → 2 s, in which the router knows the destination → calls (1) → looked at again (2) → progress → calls → … → done (3)
//
//   (1) The calls since the last progress are written again, under the same message ids.
//   (2) A membership that has changed is sent by the router, under the id of that change. Only where the router's call stands before the
//       older one written here is it sent once more, under an id of its own: a receiver would take the older one for the last word. The
//       profiles are read to their end first, and again until nothing has changed.
//   (3) What was paused is waited for. Once it is resumed the destination is given what that has for it, from the first profile on.
//
// `begun`, progress and `done` are the destination's record, acknowledged.
import type { Host } from "#host";
import type { OutgoingRecord } from "#kafka";
import type { AudienceConfig, ConnectionSync, DestinationConfig, ProfileResult } from "#topics";
import type { Pace } from "../durable-work/pace.ts";
import type { ProfileReader, SentState } from "../profiles/replica.ts";
import { isOvertaken, type JobEnds, type JobLog } from "./job-log.ts";
import { begun, changed, fateOf, resumed, takesAudiences } from "./sync.ts";

/** One value of one profile. */
export interface CurrentValue {
  readonly profileId: string;
  readonly incarnation: number;
  readonly result: ProfileResult;
  readonly audience: AudienceConfig;
  /** An older one was written behind it: a receiver that knows its message id shall not pass it over. */
  readonly isCorrection: boolean;
}

export interface SyncWork {
  readonly store: {
    get(id: string): ConnectionSync | undefined;
    /** Resolves when it is on all in-sync replicas. */
    put(sync: ConnectionSync): Promise<void>;
  };
  readonly destination: (id: string) => DestinationConfig | undefined;
  readonly audience: (id: string) => AudienceConfig | undefined;
  readonly profiles: ProfileReader;
  readonly isSuppressed: (profileId: string) => boolean;
  readonly jobs: JobLog;
  /** The message id of the call by which the value was sent to others, or will be. */
  readonly sentAs: (value: CurrentValue) => string;
  /** The message id that `jobOf` gives it. */
  readonly givenAs: (value: CurrentValue, destination: DestinationConfig) => string;
  /** undefined: the destination's filter does not let it pass. */
  readonly jobOf: (value: CurrentValue, destination: DestinationConfig) => OutgoingRecord | undefined;
  /** Resolves when they are on all in-sync replicas. */
  readonly write: (records: readonly OutgoingRecord[]) => Promise<void>;
  readonly onWritten: (count: number) => void;
  readonly onDone: (sync: ConnectionSync) => void;
  readonly pace: Pick<Pace, "stepCalls" | "turn">;
  readonly host: Pick<Host, "delay" | "elapsed" | "setImmediate">;
  nowMs(): number;
}

/** A change is in force after one second (contract 10.1): what changes from then on the router sends. */
const IN_FORCE_MS = 2_000;
const PROGRESS_EVERY_MS = 5_000;
/** Whether what was paused is resumed, and whether the destination still takes it. */
const LOOK_EVERY_MS = 1_000;
/** Profiles of one turn of the event loop. */
const PROFILES_A_TURN = 200;

/** Resolves when the destination has what it is to have, or with `signal`. */
export async function workOn(id: string, work: SyncWork, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const known = work.store.get(id);
    if (!takesAudiences(work.destination(id))) {
      if (known?.isConnected === true)
        await work.store.put(changed(known, { isConnected: false }, work.nowMs()));
      return;
    }
    if (known?.isConnected === true && known.isDone) {
      if (known.heldBackIds.length === 0) return;
      await resume(known, work, signal);
      continue;
    }
    const sync = known?.isConnected === true ? known : begun(id, work.nowMs());
    if (sync !== known) await work.store.put(sync);
    await new Syncing(sync, work, signal).run();
  }
}

/** Once something that was held back is not paused any more, or is gone, that is noted; until then it looks now and then. */
async function resume(known: ConnectionSync, work: SyncWork, signal: AbortSignal): Promise<void> {
  const ids = known.heldBackIds.filter((id) => work.audience(id)?.isPaused !== true);
  if (ids.length === 0) await work.host.delay(LOOK_EVERY_MS, signal);
  else await work.store.put(resumed(known, ids, work.nowMs()));
}

class Syncing {
  readonly #work: SyncWork;
  readonly #signal: AbortSignal;
  #sync: ConnectionSync;
  #savedAtMs: number;
  /** Every call that stands before them in the log of jobs is of a state that the copy of the profiles has. */
  #ends: JobEnds = new Map();

  constructor(sync: ConnectionSync, work: SyncWork, signal: AbortSignal) {
    this.#sync = sync;
    this.#work = work;
    this.#signal = signal;
    this.#savedAtMs = work.host.elapsed();
  }

  /** Ends early when the destination takes no audiences any more. */
  async run(): Promise<void> {
    const { host, nowMs, profiles } = this.#work;
    const waitMs = this.#sync.createdAtMs + IN_FORCE_MS - nowMs();
    if (waitMs > 0) await host.delay(waitMs, this.#signal);
    this.#ends = await this.#work.jobs.ends();
    await profiles.refresh(this.#signal);
    for (let { partition } = this.#sync; partition < profiles.partitions; partition += 1)
      if (!(await this.#partition(partition))) return;
    await this.#save({ isDone: true });
    this.#work.onDone(this.#sync);
  }

  /** False when it was ended early. */
  async #partition(partition: number): Promise<boolean> {
    const { destination, host } = this.#work;
    let after = partition === this.#sync.partition ? (this.#sync.cursor ?? undefined) : undefined;
    for (let ids = this.#take(partition, after); ids.length > 0; ids = this.#take(partition, after)) {
      this.#signal.throwIfAborted();
      const config = destination(this.#sync.id);
      if (config === undefined || !takesAudiences(config)) return false;
      const values = await this.#valuesOf(partition, ids);
      await this.#send(values, config);
      await this.#correct(partition, values, config);
      after = ids.at(-1);
      const sent = this.#sync.sent + values.length;
      this.#sync = changed(this.#sync, { partition, cursor: after ?? null, sent }, this.#work.nowMs());
      if (host.elapsed() - this.#savedAtMs >= PROGRESS_EVERY_MS) await this.#save({});
      await new Promise<void>((resolve) => void host.setImmediate(resolve));
    }
    return true;
  }

  async #save(changes: Partial<ConnectionSync>): Promise<void> {
    this.#sync = changed(this.#sync, changes, this.#work.nowMs());
    await this.#work.store.put(this.#sync);
    this.#savedAtMs = this.#work.host.elapsed();
  }

  async #valuesOf(partition: number, ids: readonly string[]): Promise<CurrentValue[]> {
    const values: CurrentValue[] = [];
    for (const id of ids) {
      const state = await this.#work.profiles.sentOf(partition, id);
      if (state === undefined || state.redirectTo !== null || this.#work.isSuppressed(id)) continue;
      const { incarnation } = state;
      for (const { audience, result } of this.#given(state))
        values.push({ profileId: id, incarnation, result, audience, isCorrection: false });
    }
    return values;
  }

  /** Notes what is held back. */
  *#given({ results }: SentState): Generator<Pick<CurrentValue, "audience" | "result">> {
    for (const result of results) {
      const id = result.computationId;
      const audience = this.#work.audience(id);
      const { heldBackIds, onlyIds } = this.#sync;
      if (audience === undefined || onlyIds?.includes(id) === false) continue;
      const fate = fateOf(result, audience);
      if (fate === "given") yield { audience, result };
      if (fate === "held_back" && !heldBackIds.includes(id))
        this.#sync = { ...this.#sync, heldBackIds: [...heldBackIds, id] };
    }
  }

  async #send(values: readonly CurrentValue[], destination: DestinationConfig): Promise<void> {
    const { jobOf, onWritten, pace, write } = this.#work;
    for (let at = 0; at < values.length; at += pace.stepCalls) {
      const some = values.slice(at, at + pace.stepCalls);
      await pace.turn(some.length, this.#signal);
      this.#signal.throwIfAborted();
      await write(some.flatMap((value) => jobOf(value, destination) ?? []));
      onWritten(some.length);
    }
  }

  async #correct(
    partition: number,
    sent: readonly CurrentValue[],
    destination: DestinationConfig,
  ): Promise<void> {
    for (let open = sent; open.length > 0; ) {
      const ends = await this.#work.jobs.ends();
      await this.#work.profiles.refresh(this.#signal);
      const changes: Change[] = [];
      for (const before of open) {
        const now = changeOf(before, await this.#work.profiles.sentOf(partition, before.profileId));
        if (now !== undefined) changes.push({ before, now });
      }
      open = await this.#overtaken(changes, destination);
      await this.#send(open, destination);
      // Before a further change is looked for: it may have come since.
      if (open.length === 0) this.#ends = ends;
    }
  }

  /** Those whose older value stands behind the newer one in the log, where the router wrote that meanwhile. */
  async #overtaken(changes: readonly Change[], destination: DestinationConfig): Promise<CurrentValue[]> {
    if (changes.length === 0) return [];
    const { givenAs, jobOf, jobs, sentAs } = this.#work;
    const places = await jobs.placesSince({
      from: this.#ends,
      destinationId: this.#sync.id,
      keys: changes.flatMap(({ before }) => jobOf(before, destination)?.key ?? []),
      signal: this.#signal,
    });
    return changes.flatMap(({ before, now }) => {
      // What a filter held back stands nowhere, and overtakes nothing.
      if (jobOf(before, destination) === undefined) return [];
      return isOvertaken(places, { older: givenAs(before, destination), newer: sentAs(now) }) ? now : [];
    });
  }

  /** A list, and no cursor that stays open while others are served. */
  #take(partition: number, after: string | undefined): string[] {
    const taken: string[] = [];
    for (const id of this.#work.profiles.ids(partition, after)) {
      taken.push(id);
      if (taken.length === PROFILES_A_TURN) break;
    }
    return taken;
  }
}

interface Change {
  readonly before: CurrentValue;
  readonly now: CurrentValue;
}

/** The value as it is now, when it has changed. Of a deleted or merged profile nothing more is sent. */
function changeOf(value: CurrentValue, state: SentState | undefined): CurrentValue | undefined {
  const { audience, result } = value;
  const now = state?.results.find(({ computationId }) => computationId === audience.id);
  if (state === undefined || state.redirectTo !== null || now === undefined || now.text === "")
    return undefined;
  if (now.seq === result.seq && state.incarnation === value.incarnation) return undefined;
  return { ...value, incarnation: state.incarnation, result: now, isCorrection: true };
}
