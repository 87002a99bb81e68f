// The profiles of the audience processor as control sees them: its own copy of their compacted topic, a second or two old.
import { join } from "node:path";
import { isSilenced, ownerOf, type Profile, profileFromRecord } from "#audiences";
import { orAborted } from "#host";
import { partitionOfKey } from "#kafka";
import type { Serde } from "#serde";
import type { openStore, PartitionStore, StoreOptions } from "#state";
import type { ProfileState, Topic } from "#topics";

/** What was sent of a profile, and the lists that name it. Of a suppressed user there are no results. */
export type SentState = Pick<ProfileState, "incarnation" | "lists" | "results" | "redirectTo">;
/** What a user's accounts are to be told. */
export type ToldState = Pick<ProfileState, "accounts" | "results">;
type StoredState = SentState & Pick<ProfileState, "suppressions">;

/** A profile as it is found by an id of its user. */
export interface FoundProfile {
  /** Of the profile that speaks for the id. */
  readonly id: string;
  /** Undefined of a suppressed user: nothing is said of them. */
  readonly profile: Profile | undefined;
}

export interface ProfileReader {
  /** False while nobody needs the profiles, and until every one is known after somebody did. */
  readonly isLoaded: boolean;
  /** Somebody is about to ask for profiles: they are followed for a while. Resolves when every one is known; rejects with the signal. */
  needed(signal: AbortSignal): Promise<void>;
  readonly partitions: number;
  /** The profile that speaks for this id; undefined when nothing is known of it, or nothing is to be said. */
  get(id: string): Promise<Profile | undefined>;
  /** As `get`; tells a suppressed user from one of whom nothing is known. */
  find(id: string): Promise<FoundProfile | undefined>;
  /** The same, without reading all of it. */
  survivorOf(id: string): Promise<{ readonly id: string; readonly state: SentState } | undefined>;
  /** Resolves when the profiles are as they were written before the call; rejects with the signal. */
  refresh(signal: AbortSignal): Promise<void>;
  /** How many there are, those that were merged into others too. */
  readonly count: number;
  /** The profile of this very id, also when it was merged into another one; undefined of a suppressed user. */
  read(partition: number, id: string): Promise<Profile | undefined>;
  /** Ids in one partition behind `after`, in an order that stays. Throws while the profiles are not followed: a walk that found none would pass for a whole one. */
  ids(partition: number, after?: string): Iterable<string>;
  /** What was sent for the profile, without reading all of it. */
  sentOf(partition: number, id: string): Promise<SentState | undefined>;
  /** Of a suppressed user, too, who stays in audiences as last sent: for counts of an account's members, never to be shown. */
  toldState(partition: number, id: string): Promise<ToldState | undefined>;
}

export interface ReplicaOptions {
  /** Folder of all partitions. */
  readonly directory: string;
  readonly partitions: number;
  readonly topic: Topic<"profile">;
  readonly serde: Pick<Serde, "decode" | "decodeFields">;
  /** As the table says, which is there before the processor has read of it, and has those of versions before. */
  readonly isSuppressed: (userId: string) => boolean;
  readonly open: typeof openStore;
  /** Somebody needs the profiles. */
  onNeeded(): void;
  readonly store: Pick<StoreOptions, "kafka" | "admin" | "now" | "onDiscarded" | "onPoison" | "signal">;
}

/** More redirects in a row than merges make. */
const MAX_REDIRECTS = 100;

export class ProfileReplica implements ProfileReader {
  readonly #options: ReplicaOptions;
  #stores: PartitionStore[] = [];
  #whenLoaded = Promise.withResolvers<void>();
  readonly #decodeSent: (bytes: Buffer | null) => StoredState | Promise<StoredState>;
  readonly #decodeTold: (bytes: Buffer | null) => ToldState | Promise<ToldState>;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const { serde, topic } = options;
    this.#decodeTold = serde.decodeFields(topic, ["accounts", "results"]);
    this.#decodeSent = serde.decodeFields(topic, [
      "incarnation",
      "lists",
      "results",
      "redirectTo",
      "suppressions",
    ]);
  }

  get isLoaded(): boolean {
    return this.#stores.length === this.#options.partitions;
  }

  get partitions(): number {
    return this.#options.partitions;
  }

  get count(): number {
    return this.#stores.reduce((total, store) => total + store.count, 0);
  }

  async read(partition: number, id: string): Promise<Profile | undefined> {
    const { serde, topic } = this.#options;
    const value = this.#stores[partition]?.get(id);
    if (value === undefined) return undefined;
    const profile = profileFromRecord(id, await serde.decode(topic, value));
    return this.#isSilenced(id, profile) ? undefined : profile;
  }

  /** Nothing is said of the user, whichever of the two knows it first. */
  #isSilenced(id: string, profile: Parameters<typeof isSilenced>[0]): boolean {
    const owner = ownerOf(id);
    return isSilenced(profile) || ("userId" in owner && this.#options.isSuppressed(owner.userId));
  }

  #said(id: string, state: StoredState): StoredState {
    return this.#isSilenced(id, state) ? { ...state, results: [] } : state;
  }

  /** Reads what there is to read: the partitions that are not open yet, then what is new in the others. One at a time. */
  async follow(): Promise<void> {
    const isNew = !this.isLoaded;
    while (!this.isLoaded) this.#stores.push(await this.#open(this.#stores.length));
    this.#whenLoaded.resolve();
    if (!isNew) await this.#refreshAll();
  }

  /**
   * Nobody needs the profiles: the copy stays on disk as it is, and is opened again by `follow`. Not while that is under way. A store that
   * stayed open could miss what the topic forgets meanwhile; who opens it looks how old it is.
   */
  async rest(): Promise<void> {
    const stores = this.#stores;
    if (stores.length === 0) return;
    this.#stores = [];
    this.#whenLoaded = Promise.withResolvers<void>();
    await Promise.all(stores.map((store) => store.close()));
  }

  needed(signal: AbortSignal): Promise<void> {
    this.#options.onNeeded();
    return orAborted(this.#whenLoaded.promise, signal);
  }

  async refresh(signal: AbortSignal): Promise<void> {
    await this.needed(signal);
    await this.#refreshAll();
  }

  async #refreshAll(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.refresh()));
  }

  async get(id: string): Promise<Profile | undefined> {
    return (await this.find(id))?.profile;
  }

  async find(id: string): Promise<FoundProfile | undefined> {
    const { serde, topic } = this.#options;
    const found = await this.#find(id);
    if (found === undefined) return undefined;
    const isSilenced = this.#isSilenced(found.id, found.state);
    const profile = isSilenced
      ? undefined
      : profileFromRecord(found.id, await serde.decode(topic, found.value));
    return { id: found.id, profile };
  }

  async survivorOf(id: string): Promise<{ readonly id: string; readonly state: SentState } | undefined> {
    return await this.#find(id);
  }

  /** The profile that speaks for the id, with its bytes. */
  async #find(id: string): Promise<{ id: string; state: StoredState; value: Buffer } | undefined> {
    let survivor = id;
    for (let passed = 0; passed <= MAX_REDIRECTS; passed += 1) {
      const value = this.#valueOf(survivor);
      if (value === undefined) return undefined;
      const state = await this.#decodeSent(value);
      if (state.redirectTo === null || passed === MAX_REDIRECTS)
        return { id: survivor, state: this.#said(survivor, state), value };
      survivor = state.redirectTo;
    }
    return undefined;
  }

  ids(partition: number, after?: string): Iterable<string> {
    this.#options.onNeeded();
    const store = this.#stores[partition];
    if (store === undefined) throw new Error("the profiles are not followed");
    return store.keys(after);
  }

  async sentOf(partition: number, id: string): Promise<SentState | undefined> {
    const value = this.#stores[partition]?.get(id);
    return value === undefined ? undefined : this.#said(id, await this.#decodeSent(value));
  }

  async toldState(partition: number, id: string): Promise<ToldState | undefined> {
    const value = this.#stores[partition]?.get(id);
    return value === undefined ? undefined : await this.#decodeTold(value);
  }

  async close(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.close()));
  }

  #valueOf(id: string): Buffer | undefined {
    return this.#stores[partitionOfKey(id, this.#options.partitions)]?.get(id);
  }

  #open(partition: number): Promise<PartitionStore> {
    const { directory, open, serde, store, topic } = this.#options;
    const facts = serde.decodeFields(topic, ["appliedOffset", "version"]);
    const factsOf = ({ appliedOffset, version }: Pick<ProfileState, "appliedOffset" | "version">) => {
      // Nothing is done here when a deadline comes.
      return { appliedOffset, version, dueMs: Number.POSITIVE_INFINITY };
    };
    return open({
      ...store,
      directory: join(directory, String(partition)),
      topic: topic.name,
      partition,
      describe(value) {
        const known = facts(value);
        return "then" in known ? known.then(factsOf) : factsOf(known);
      },
    });
  }
}
