import type { Profile } from "#audiences";
import { RegistryUnavailableError } from "#serde";
import type { PartitionStore } from "#state";
import type { ProfileCodec } from "./codec.ts";
import type { ProfileTelemetry } from "./profile-telemetry.ts";

/** What a profile takes in memory, by the bytes of its record: 5.7 KB at 800 bytes, of which most are numbers and names. */
const MEMORY = { leastBytes: 1_024, timesRecord: 5 };

interface CacheParts {
  readonly store: Pick<PartitionStore, "get">;
  readonly codec: Pick<ProfileCodec, "read">;
  /** Whether the event is settled, here or by an earlier owner. */
  isSettled(offset: number): boolean;
  /** How much memory the profiles may take by now. */
  roomBytes(): number;
  readonly telemetry: Pick<ProfileTelemetry, "unreadable">;
}

/** The bytes of a profile are damaged, or of no version that is known. */
class UnreadableProfileError extends Error {
  override readonly name = "UnreadableProfileError";
}

function memoryOf({ sizeBytes }: Profile): number {
  return MEMORY.leastBytes + MEMORY.timesRecord * sizeBytes;
}

/** Ids that were seen lately, one for so much of the memory. */
const SEEN_EACH_BYTES = 8_192;
/** Of more than these it is found, and said, once more. */
const MAX_UNREADABLE = 1_000;

/**
 * Decoded profiles of one partition, those that were used last. What is not durable yet stays, however much that is. A profile is held for
 * longer than its batch once it is used a second time: those who come once only would push out the others, and cost the garbage collector
 * most. All of it is in pairs of which the older one is let go of as a whole (decision 50).
 */
export class ProfileCache {
  readonly #parts: CacheParts;
  #newest = new Map<string, Profile>();
  #newestBytes = 0;
  #before = new Map<string, Profile>();
  /** Used for the first time in a while. */
  #passing = new Map<string, Profile>();
  /** Ids of those that were let go of after they had passed. */
  #seen = new Set<string>();
  #seenBefore: ReadonlySet<string> = new Set();
  readonly #unreadable = new Map<string, UnreadableProfileError>();

  constructor(parts: CacheParts) {
    this.#parts = parts;
  }

  /**
   * Undefined when nothing is known of it; a promise while the writer's schema is not known yet, then it is to be asked for again. Throws when
   * it cannot be read.
   */
  load(id: string): Profile | undefined | Promise<unknown> {
    const known = this.#newest.get(id) ?? this.#before.get(id) ?? this.#passing.get(id);
    if (known !== undefined) {
      this.keep(known);
      return known;
    }
    const unreadable = this.#unreadable.get(id);
    if (unreadable !== undefined) throw unreadable;
    const value = this.#parts.store.get(id);
    return value === undefined ? undefined : this.#read(id, value);
  }

  /** As `load`; undefined also when it cannot be read. */
  look(id: string): Profile | undefined | Promise<unknown> {
    return readable(() => this.load(id));
  }

  /** Undefined when it is not there, or cannot be had at once. */
  peek(id: string): Profile | undefined {
    return this.#atOnce(() => this.load(id));
  }

  /** Undefined also when it cannot be read. */
  #atOnce(load: () => Profile | undefined | Promise<unknown>): Profile | undefined {
    const profile = readable(load);
    if (!(profile instanceof Promise)) return profile;
    // Nobody waits for it. It rejects only where the process ends.
    profile.catch(() => undefined);
    return undefined;
  }

  /** As `peek`, but it does not count as used, and nothing of it is kept. */
  view(id: string): Profile | undefined {
    const known = this.#newest.get(id) ?? this.#before.get(id) ?? this.#passing.get(id);
    if (known !== undefined || this.#unreadable.has(id)) return known;
    return this.#atOnce(() => {
      const value = this.#parts.store.get(id);
      return value === undefined ? undefined : this.#read(id, value);
    });
  }

  /** It was found that it cannot be read. */
  isUnreadable(id: string): boolean {
    return this.#unreadable.has(id);
  }

  keep(profile: Profile): void {
    const { id } = profile;
    this.#unreadable.delete(id);
    if (this.#newest.get(id) === profile || this.#passing.get(id) === profile) return;
    if (this.#newest.has(id) || this.#before.has(id) || this.#seen.has(id) || this.#seenBefore.has(id))
      this.#hold(profile);
    else this.#passing.set(id, profile);
  }

  forget(id: string): void {
    for (const profiles of [this.#newest, this.#before, this.#passing]) profiles.delete(id);
  }

  clear(): void {
    this.#newest = new Map();
    this.#newestBytes = 0;
    this.#before = new Map();
    this.#passing = new Map();
    this.#unreadable.clear();
  }

  /** Lets go of those that were used longest ago, but not of those that are still needed. */
  shrink(isNeeded: (id: string) => boolean): void {
    this.#letPass(isNeeded);
    const roomBytes = this.#parts.roomBytes();
    if (this.#seen.size > roomBytes / SEEN_EACH_BYTES)
      [this.#seenBefore, this.#seen] = [this.#seen, new Set()];
    if (this.#newestBytes <= roomBytes / 2) return;
    const before = this.#before;
    this.#before = this.#newest;
    this.#newest = new Map();
    this.#newestBytes = 0;
    for (const [id, profile] of before) if (isNeeded(id) && !this.#before.has(id)) this.#hold(profile);
  }

  #read(id: string, value: Buffer): Profile | Promise<unknown> {
    try {
      const profile = this.#parts.codec.read(id, value);
      if ("then" in profile) return profile.catch((error: unknown) => void this.#leave(id, error));
      this.#forgetSent(profile);
      return profile;
    } catch (error) {
      throw this.#leave(id, error);
    }
  }

  /** What cannot be read is read no second time. */
  #leave(id: string, thrown: unknown): Error {
    // Nothing is known of it: the process ends.
    if (thrown instanceof RegistryUnavailableError) throw thrown;
    const error = new UnreadableProfileError("the profile cannot be read", { cause: thrown });
    if (this.#unreadable.size >= MAX_UNREADABLE) this.#unreadable.clear();
    this.#unreadable.set(id, error);
    this.#parts.telemetry.unreadable(error);
    return error;
  }

  #hold(profile: Profile): void {
    this.#newest.set(profile.id, profile);
    this.#newestBytes += memoryOf(profile);
  }

  #letPass(isNeeded: (id: string) => boolean): void {
    const passing = this.#passing;
    this.#passing = new Map();
    for (const [id, profile] of passing)
      if (isNeeded(id)) this.#passing.set(id, profile);
      else this.#seen.add(id);
  }

  /** What was sent with an event is in the record until the profile's next change. */
  #forgetSent(profile: Profile): void {
    if (profile.outboxOffset !== undefined && this.#parts.isSettled(profile.outboxOffset))
      profile.outbox = [];
  }
}

function readable<R>(load: () => R): R | undefined {
  try {
    return load();
  } catch {
    return undefined;
  }
}
