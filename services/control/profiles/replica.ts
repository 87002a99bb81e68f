// The profiles of the audience processor as control sees them: its own copy of their compacted topic, a second or two old.
import { join } from "node:path";
import { type Profile, profileFromRecord } from "#audiences";
import { partitionOfKey } from "#kafka";
import type { Serde } from "#serde";
import type { openStore, PartitionStore, StoreOptions } from "#state";
import type { ProfileState, Topic } from "#topics";

type SentState = Pick<ProfileState, "results" | "redirectTo">;

export interface ProfileReader {
  /** False for the first moments of a process, in which not every profile is known. */
  readonly isLoaded: boolean;
  readonly partitions: number;
  /** The profile that speaks for this id; undefined when nothing is known of it. */
  get(id: string): Promise<Profile | undefined>;
  /** Ids in one partition behind `after`, in an order that stays. */
  ids(partition: number, after?: string): Iterable<string>;
  /** What was sent for the profile, without reading all of it. */
  sentOf(partition: number, id: string): Promise<SentState | undefined>;
}

export interface ReplicaOptions {
  /** Folder of all partitions. */
  readonly directory: string;
  readonly partitions: number;
  readonly topic: Topic<"profile">;
  readonly serde: Pick<Serde, "decode" | "decodeFields">;
  readonly open: typeof openStore;
  readonly store: Pick<StoreOptions, "kafka" | "admin" | "now" | "onDiscarded" | "onPoison" | "signal">;
}

/** More redirects in a row than merges make. */
const MAX_REDIRECTS = 100;

export class ProfileReplica implements ProfileReader {
  readonly #options: ReplicaOptions;
  readonly #stores: PartitionStore[] = [];
  readonly #decodeSent: (bytes: Buffer | null) => SentState | Promise<SentState>;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#decodeSent = options.serde.decodeFields(options.topic, ["results", "redirectTo"]);
  }

  get isLoaded(): boolean {
    return this.#stores.length === this.#options.partitions;
  }

  get partitions(): number {
    return this.#options.partitions;
  }

  /** Reads what there is to read: the partitions that are not open yet, then what is new in the others. */
  async refresh(): Promise<void> {
    const isNew = !this.isLoaded;
    while (!this.isLoaded) this.#stores.push(await this.#open(this.#stores.length));
    if (!isNew) await Promise.all(this.#stores.map((store) => store.refresh()));
  }

  async get(id: string): Promise<Profile | undefined> {
    const { serde, topic } = this.#options;
    let survivor = id;
    let value = this.#valueOf(id);
    for (let passed = 0; value !== undefined && passed < MAX_REDIRECTS; passed += 1) {
      const { redirectTo } = await this.#decodeSent(value);
      if (redirectTo === null) break;
      survivor = redirectTo;
      value = this.#valueOf(survivor);
    }
    return value === undefined ? undefined : profileFromRecord(survivor, await serde.decode(topic, value));
  }

  ids(partition: number, after?: string): Iterable<string> {
    return this.#stores[partition]?.keys(after) ?? [];
  }

  async sentOf(partition: number, id: string): Promise<SentState | undefined> {
    const value = this.#stores[partition]?.get(id);
    return value === undefined ? undefined : await this.#decodeSent(value);
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
