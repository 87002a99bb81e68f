import type { Profile } from "#audiences";
import type { PartitionStore } from "#state";
import type { ProfileCodec } from "./codec.ts";

/** Of one partition. A profile has 64 KB at most, and about 2 KB mostly. */
const MAX_PROFILES = 4_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Decoded profiles of one partition, those that were used last. What is not durable yet stays, however much that is. */
export class ProfileCache {
  readonly #store: Pick<PartitionStore, "get">;
  readonly #codec: Pick<ProfileCodec, "read">;
  readonly #isSettled: (offset: number) => boolean;
  readonly #profiles = new Map<string, Profile>();
  #bytes = 0;

  constructor({
    store,
    codec,
    isSettled,
  }: {
    readonly store: Pick<PartitionStore, "get">;
    readonly codec: Pick<ProfileCodec, "read">;
    /** Whether the event is settled, here or by an earlier owner. */
    isSettled(offset: number): boolean;
  }) {
    this.#store = store;
    this.#codec = codec;
    this.#isSettled = isSettled;
  }

  /** Undefined when nothing is known of it; a promise while the writer's schema is not known yet. */
  load(id: string): Profile | undefined | Promise<Profile> {
    const known = this.#profiles.get(id);
    if (known !== undefined) {
      this.#profiles.delete(id);
      this.#profiles.set(id, known);
      return known;
    }
    const value = this.#store.get(id);
    if (value === undefined) return undefined;
    const profile = this.#codec.read(id, value);
    if (!("then" in profile)) this.#forgetSent(profile);
    return profile;
  }

  keep(profile: Profile): void {
    if (this.#profiles.get(profile.id) === profile) return;
    this.forget(profile.id);
    this.#profiles.set(profile.id, profile);
    this.#bytes += profile.sizeBytes;
  }

  forget(id: string): void {
    const known = this.#profiles.get(id);
    if (known !== undefined) this.#drop(known);
  }

  clear(): void {
    this.#profiles.clear();
    this.#bytes = 0;
  }

  /** Lets go of those that were used longest ago, but not of those that are still needed. */
  shrink(isNeeded: (id: string) => boolean): void {
    for (const profile of this.#profiles.values()) {
      if (this.#profiles.size <= MAX_PROFILES && this.#bytes <= MAX_BYTES) return;
      if (!isNeeded(profile.id)) this.#drop(profile);
    }
  }

  /** What was sent with an event is in the record until the profile's next change. */
  #forgetSent(profile: Profile): void {
    if (profile.outboxOffset !== undefined && this.#isSettled(profile.outboxOffset)) profile.outbox = [];
  }

  /** Sizes move while profiles are held; what is left of an empty cache is no size. */
  #drop({ id, sizeBytes }: Profile): void {
    this.#profiles.delete(id);
    this.#bytes = this.#profiles.size === 0 ? 0 : Math.max(0, this.#bytes - sizeBytes);
  }
}
