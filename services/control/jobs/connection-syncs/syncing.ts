// One pass over all profiles, in which a destination is given what they have for it. What dies between two lines: worker.ts.
import type { ConnectionSync, DestinationConfig } from "#topics";
import { nextTurn } from "../../http/next-turn.ts";
import { nextIds } from "../../records/profiles/next-ids.ts";
import type { SentState } from "../../records/profiles/replica.ts";
import { Doubts } from "./doubts.ts";
import { isOvertaken, type JobEnds } from "./job-log.ts";
import { changed, fateOf, hasLeft, taking } from "./sync.ts";
import type { SyncWork } from "./sync-work.ts";
import {
  type Change,
  type CurrentValue,
  changesSince,
  endsIn,
  jobEndsOf,
  unsureOf,
  valueIn,
  withTraits,
} from "./values.ts";

/** A change is in force after one second (contract 10.1): what changes from then on the router sends. */
const IN_FORCE_MS = 2_000;
const PROGRESS_EVERY_MS = 5_000;
/** Profiles of one turn of the event loop; fewer when they have so many values. */
const PROFILES_A_TURN = 200;
const VALUES_A_TURN = 200;

export class Syncing {
  readonly #work: SyncWork;
  readonly #signal: AbortSignal;
  #sync: ConnectionSync;
  #saved: ConnectionSync;
  #savedAtMs: number;
  readonly #doubts: Doubts;
  /** Every call that stands before them in the log of jobs is of a state that the copy of the profiles has. */
  #ends: JobEnds = new Map();

  constructor(sync: ConnectionSync, work: SyncWork, signal: AbortSignal) {
    this.#sync = sync;
    this.#saved = sync;
    this.#doubts = new Doubts(sync.doubts);
    this.#work = work;
    this.#signal = signal;
    this.#savedAtMs = work.host.elapsed();
  }

  /** Ends early when the destination takes no audiences any more. */
  async run(): Promise<void> {
    const { host, profiles } = this.#work;
    // Whoever takes it up waits, too: when it was begun is of another process's clock.
    await host.delay(IN_FORCE_MS, this.#signal);
    if (!(await this.#takeUp())) return;
    this.#ends = await this.#work.jobs.ends();
    await profiles.refresh(this.#signal);
    for (let { partition } = this.#sync; partition < profiles.partitions; partition += 1)
      if (!(await this.#partition(partition))) return;
    await this.#save({ isDone: true, doubts: this.#doubts.heldBack(this.#sync.heldBackIds) });
    this.#work.onDone(this.#sync);
  }

  /** Of what is noted as given next: what was written may stand behind a newer one, the rest is given now. False when it was ended early. */
  async #takeUp(): Promise<boolean> {
    const { audience, givenAs, jobs, profiles } = this.#work;
    const { id, partition, unsure } = this.#sync;
    if (unsure.length === 0) return true;
    const config = this.#config();
    if (config === undefined) return false;
    const values = unsure.flatMap((one) => {
      const of = audience(one.computationId);
      return of === undefined || of.deletedAtMs !== null ? [] : valueIn(one, of);
    });
    this.#ends = endsIn(this.#sync);
    const keys = this.#keysOf(values, config);
    const places = await jobs.placesSince({
      from: this.#ends,
      destinationId: id,
      keys,
      signal: this.#signal,
    });
    const [written, missing] = [true, false].map((is) =>
      values.filter((value) => places.has(givenAs(value, config)) === is),
    ) as [CurrentValue[], CurrentValue[]];
    await this.#correct(partition, written, config);
    await profiles.refresh(this.#signal);
    const ids = new Set(missing.map(({ profileId }) => profileId));
    const { values: anew } = await this.#valuesOf(partition, [...ids], Number.POSITIVE_INFINITY);
    await this.#give(anew, config, { partition, cursor: this.#sync.cursor });
    return true;
  }

  /** undefined when it takes no audiences any more. */
  #config(): DestinationConfig | undefined {
    const { id } = this.#sync;
    const left = this.#work.left(id);
    const config = taking(this.#work.destination(id), left);
    return config !== undefined && !hasLeft(this.#sync, config, left) ? config : undefined;
  }

  /** False when it was ended early. */
  async #partition(partition: number): Promise<boolean> {
    const { host } = this.#work;
    let after = partition === this.#sync.partition ? (this.#sync.cursor ?? undefined) : undefined;
    for (let ids = this.#take(partition, after); ids.length > 0; ids = this.#take(partition, after)) {
      this.#signal.throwIfAborted();
      const config = this.#config();
      if (config === undefined) return false;
      const { last, values } = await this.#valuesOf(partition, ids, VALUES_A_TURN);
      after = last;
      await this.#give(values, config, { partition, cursor: after ?? null });
      if (host.elapsed() - this.#savedAtMs >= PROGRESS_EVERY_MS) await this.#save({});
      await nextTurn(host);
    }
    return true;
  }

  /** Gives the destination values of profiles up to a place. */
  async #give(
    values: readonly CurrentValue[],
    config: DestinationConfig,
    place: Pick<ConnectionSync, "partition" | "cursor">,
  ): Promise<void> {
    if (values.length > 0) {
      await this.#save({ ...place, unsure: values.map(unsureOf), jobEnds: jobEndsOf(this.#ends) });
      await this.#send(values, config);
      await this.#correct(place.partition, values, config);
    }
    this.#doubts.given(values.map(({ audience, profileId }) => ({ profileId, computationId: audience.id })));
    const doubts = this.#doubts.list();
    this.#sync = changed(this.#sync, { ...place, unsure: [], doubts }, this.#work.nowMs());
  }

  async #save(changes: Partial<ConnectionSync>): Promise<void> {
    this.#sync = changed(this.#sync, changes, this.#work.nowMs());
    const after = this.#sync;
    await this.#work.store.replace({ before: this.#saved, after });
    this.#saved = after;
    this.#savedAtMs = this.#work.host.elapsed();
  }

  /** Of the first of these profiles, until there are enough; `last` is the last one that was looked at. */
  async #valuesOf(
    partition: number,
    ids: readonly string[],
    enough: number,
  ): Promise<{ readonly values: CurrentValue[]; readonly last: string | undefined }> {
    const values: CurrentValue[] = [];
    let last: string | undefined;
    for (const id of ids) {
      if (values.length >= enough) break;
      last = id;
      const state = await this.#work.profiles.sentOf(partition, id);
      if (state === undefined || state.redirectTo !== null || this.#work.isSuppressed(id)) continue;
      values.push(...(await withTraits([...this.#given(id, state)], this.#work.profiles)));
    }
    return { values, last };
  }

  /** Notes what is held back. */
  *#given(profileId: string, { incarnation, results }: SentState): Generator<CurrentValue> {
    for (const result of results) {
      const id = result.computationId;
      const audience = this.#work.audience(id);
      const { heldBackIds, onlyIds } = this.#sync;
      if (audience === undefined || onlyIds?.includes(id) === false) continue;
      const isDoubted = this.#doubts.has({ profileId, computationId: id });
      const fate = fateOf(result, audience, { isDoubted });
      if (fate === "given")
        yield { profileId, incarnation, result, audience, traits: "", isCorrection: isDoubted };
      if (fate === "held_back" && !heldBackIds.includes(id))
        this.#sync = { ...this.#sync, heldBackIds: [...heldBackIds, id] };
    }
  }

  async #send(values: readonly CurrentValue[], destination: DestinationConfig): Promise<void> {
    const { isSuppressed, jobOf, onWritten, pace, write } = this.#work;
    for (let at = 0; at < values.length; at += pace.stepCalls) {
      const some = values.slice(at, at + pace.stepCalls);
      await pace.turn(some.length, this.#signal);
      this.#signal.throwIfAborted();
      const to = { destination, sync: this.#sync };
      // They were read some turns ago.
      const left = some.filter(({ profileId }) => !isSuppressed(profileId));
      const jobs = left.flatMap((value) => jobOf(value, to) ?? []);
      await write(jobs);
      onWritten(jobs.length);
      this.#sync = { ...this.#sync, sent: this.#sync.sent + jobs.length };
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
      open = await this.#overtaken(await changesSince(open, this.#work.profiles, partition), destination);
      if (open.length > 0) await this.#save({ unsure: [...this.#sync.unsure, ...open.map(unsureOf)] });
      await this.#send(open, destination);
      // Before a further change is looked for: it may have come since.
      if (open.length === 0) this.#ends = ends;
    }
  }

  /** Those whose older value stands behind the newer one in the log, where the router wrote that meanwhile. */
  async #overtaken(changes: readonly Change[], destination: DestinationConfig): Promise<CurrentValue[]> {
    if (changes.length === 0) return [];
    const { givenAs, jobs, sentAs } = this.#work;
    const given = changes.map(({ before }) => before);
    const places = await jobs.placesSince({
      from: this.#ends,
      destinationId: this.#sync.id,
      keys: this.#keysOf(given, destination),
      signal: this.#signal,
    });
    const overtaken = changes.flatMap(({ before, now }) =>
      isOvertaken(places, { older: givenAs(before, destination), newer: sentAs(now) }) ? now : [],
    );
    // A value and its correction may stand behind the same newer one.
    return [...new Map(overtaken.map((now) => [givenAs(now, destination), now])).values()];
  }

  #keysOf(values: readonly CurrentValue[], destination: DestinationConfig): string[] {
    return values.map((value) => this.#work.keyOf(value, destination));
  }

  #take(partition: number, after: string | undefined): string[] {
    return nextIds(this.#work.profiles, partition, { after, most: PROFILES_A_TURN });
  }
}
