// Gives one destination the members that there were when it was connected, and the values of computed traits. What is left behind when the
// process dies, line by line:
//
//   begun → 2 s, in which the router knows the destination → calls (1) → looked at again (2) → progress → calls → … → done
//
//   (1) The calls since the last progress are written again, under the same message ids.
//   (2) A membership that changed while its call was written may have been sent by the router before that call. It is sent once more as it is
//       now; the profiles are read to their end first, and again until nothing has changed. Who dies in between does all of that again.
//
// `begun`, progress and `done` are the destination's record, acknowledged.
import type { Host } from "#host";
import type { OutgoingRecord } from "#kafka";
import type { AudienceConfig, ConnectionSync, DestinationConfig, ProfileResult } from "#topics";
import type { Pace } from "../durable-work/pace.ts";
import type { ProfileReader, SentState } from "../profiles/replica.ts";
import { begun, changed, isCurrent, takesAudiences } from "./sync.ts";

/** One value of one profile. */
export interface CurrentValue {
  readonly profileId: string;
  readonly incarnation: number;
  readonly result: ProfileResult;
  readonly audience: AudienceConfig;
  /** It was sent to the destination otherwise before: a receiver that knows that message id shall not pass it over. */
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
  readonly jobOf: (value: CurrentValue, destination: DestinationConfig) => OutgoingRecord;
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
    if (known?.isConnected === true && known.isDone) return;
    const sync = known?.isConnected === true ? known : begun(id, work.nowMs());
    if (sync !== known) await work.store.put(sync);
    await new Syncing(sync, work, signal).run();
  }
}

class Syncing {
  readonly #work: SyncWork;
  readonly #signal: AbortSignal;
  #sync: ConnectionSync;
  #savedAtMs: number;

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
      for (const result of state.results) {
        const audience = this.#work.audience(result.computationId);
        if (audience === undefined || !isCurrent(result, audience)) continue;
        const { incarnation } = state;
        values.push({ profileId: id, incarnation, result, audience, isCorrection: false });
      }
    }
    return values;
  }

  async #send(values: readonly CurrentValue[], destination: DestinationConfig): Promise<void> {
    const { jobOf, onWritten, pace, write } = this.#work;
    for (let at = 0; at < values.length; at += pace.stepCalls) {
      const some = values.slice(at, at + pace.stepCalls);
      await pace.turn(some.length, this.#signal);
      this.#signal.throwIfAborted();
      await write(some.map((value) => jobOf(value, destination)));
      onWritten(some.length);
    }
  }

  async #correct(
    partition: number,
    sent: readonly CurrentValue[],
    destination: DestinationConfig,
  ): Promise<void> {
    for (let open = sent; open.length > 0; ) {
      await this.#work.profiles.refresh(this.#signal);
      const changes: CurrentValue[] = [];
      for (const value of open) {
        const now = changeOf(value, await this.#work.profiles.sentOf(partition, value.profileId));
        if (now !== undefined) changes.push(now);
      }
      await this.#send(changes, destination);
      open = changes;
    }
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

/** The value as it is now, when it has changed. Of a deleted or merged profile nothing more is sent. */
function changeOf(value: CurrentValue, state: SentState | undefined): CurrentValue | undefined {
  const { audience, result } = value;
  const now = state?.results.find(({ computationId }) => computationId === audience.id);
  if (state === undefined || state.redirectTo !== null || now === undefined || now.text === "")
    return undefined;
  if (now.seq === result.seq && state.incarnation === value.incarnation) return undefined;
  return { ...value, incarnation: state.incarnation, result: now, isCorrection: true };
}
