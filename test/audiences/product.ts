// The product's core, driven as the service will drive it: one profile each, its outbox emptied after every step.
import {
  advance,
  applyEvent,
  type ComputationSet,
  type CoverageOf,
  compileSet,
  completeRelease,
  createProfile,
  type Moment,
  mergedBy,
  type Profile,
  type ProfileCall,
  type ProfileEvent,
  parseAudience,
  parseComputedTrait,
  profileFromRecord,
  profileIdOf,
  profileToRecord,
  seedLeaves,
  survivorOf,
  userProfileId,
} from "#audiences";
import type { ProfileState } from "#topics";
import type { Case, CaseComputation } from "./case.ts";
import type { SentFlip } from "./naive.ts";

function definitionOf(
  { definition, kind }: CaseComputation,
  audiences: Map<string, { references: readonly string[] }>,
) {
  if (kind === "list") return { kind } as const;
  const reading =
    kind === "trait" ? parseComputedTrait(definition) : parseAudience(definition, { audiences });
  if (!reading.ok) throw new Error(`${JSON.stringify(definition)}: ${JSON.stringify(reading.problems)}`);
  return reading.definition;
}

export function compile({ computations }: Case, coverageOf?: CoverageOf): ComputationSet {
  const audiences = new Map<string, { references: readonly string[] }>([["list", { references: [] }]]);
  const inputs = computations.map((computation) => {
    const { id, includeAnonymous, key } = computation;
    const definition = definitionOf(computation, audiences);
    audiences.set(key, { references: definition.kind === "audience" ? definition.references : [] });
    return { id, key, includeAnonymous, definition, generation: 1, state: "live" as const };
  });
  return compileSet(inputs, coverageOf);
}

/** A record of profile-events. */
interface Logged {
  readonly id: string;
  readonly event: ProfileEvent;
  readonly offset: number;
}

export type Rewrite = (record: ProfileState) => ProfileState;

export class Product {
  set: ComputationSet;
  readonly log: Logged[] = [];
  readonly profiles = new Map<string, Profile>();
  #offset = 0;

  readonly #rewrite: Rewrite;

  constructor(set: ComputationSet, rewrite: Rewrite = (record) => record) {
    this.set = set;
    this.#rewrite = rewrite;
  }

  /** Of the next event. */
  get offset(): number {
    return this.#offset + 1;
  }

  #copyOf(profile: Profile): Profile {
    const copy = profileFromRecord(profile.id, this.#rewrite(profileToRecord(profile)));
    const [counted, found] = [profile.sizeBytes, copy.sizeBytes];
    if (counted !== found) throw new Error(`${profile.id} was counted as ${counted} bytes, it has ${found}`);
    return copy;
  }

  readonly #redirectOf = (id: string): string | undefined => this.profiles.get(id)?.redirectTo;

  #moment(nowMs: number): Moment {
    this.#offset += 1;
    return { offset: this.#offset, nowMs };
  }

  #apply(id: string, event: ProfileEvent, nowMs: number): Profile {
    const moment = this.#moment(nowMs);
    const profile = this.profiles.get(id) ?? createProfile(id, moment.offset);
    this.profiles.set(id, profile);
    this.log.push({ id, event, offset: moment.offset });
    this.#seed(profile, event);
    applyEvent(profile, event, this.set, moment);
    // Read again after a crash: nothing may happen.
    const repeated = applyEvent(profile, event, this.set, moment);
    if (repeated !== "already_applied" && repeated !== "redirected")
      throw new Error(`applied twice: ${repeated}`);
    return profile;
  }

  call(call: ProfileCall & { readonly previousId: string | null }, nowMs: number): void {
    const own = profileIdOf(call);
    if (own === undefined) return;
    const survivor = survivorOf(own, this.#redirectOf);
    for (const id of mergedBy(call, this.#redirectOf)) {
      const released = this.#apply(id, { kind: "release", to: survivor }, nowMs);
      this.give(released, survivor, nowMs);
    }
    // A call of a merged profile is passed on.
    if (own !== survivor)
      this.log.push({ id: own, event: { kind: "call", call }, offset: this.#moment(nowMs).offset });
    this.#apply(survivor, { kind: "call", call }, nowMs);
  }

  /** What a merged profile was released with. */
  give(released: Profile, survivor: string, nowMs: number): void {
    this.#apply(survivor, { kind: "merge", moved: this.#copyOf(released) }, nowMs);
    // The merge comes twice when the service dies before the release is complete.
    this.#apply(survivor, { kind: "merge", moved: this.#copyOf(released) }, nowMs);
    completeRelease(released);
  }

  /** What a backfill has found of a profile that was merged earlier. */
  giveOn(stub: Profile, nowMs: number): void {
    this.give(stub, survivorOf(stub.id, this.#redirectOf), nowMs);
  }

  /** As `Naive.values`. */
  get values(): Map<string, string> {
    const values = new Map<string, string>();
    for (const { id, results } of this.profiles.values())
      for (const [computation, { text }] of results)
        if (!["", "false", "null", "0", "[]"].includes(text)) values.set(`${id} ${computation}`, text);
    return values;
  }

  delete(userId: string, nowMs: number): void {
    this.#apply(userProfileId(userId), { kind: "delete", atMs: nowMs }, nowMs);
  }

  list(userId: string, listId: string, isMember: boolean, nowMs: number): void {
    this.#apply(userProfileId(userId), { kind: "list", listId, isMember }, nowMs);
  }

  clock(nowMs: number): void {
    for (const profile of this.profiles.values())
      if (profile.nextDeadlineMs <= nowMs) advance(profile, this.set, nowMs);
  }

  nextDeadlineMs(): number {
    return Math.min(...Array.from(this.profiles.values(), ({ nextDeadlineMs }) => nextDeadlineMs));
  }

  reload(): void {
    for (const [id, profile] of this.profiles) this.profiles.set(id, this.#copyOf(profile));
  }

  #seed(profile: Profile, event: ProfileEvent): void {
    if (event.kind === "call") seedLeaves(profile, this.#usesOf(event.call));
    if (event.kind !== "merge") return;
    for (const one of [profile, event.moved]) seedLeaves(one, this.set.leaves.values());
  }

  #usesOf({ name, type }: ProfileCall) {
    if (name === null || (type !== "track" && type !== "page" && type !== "screen")) return [];
    return this.set.events[type].get(name) ?? [];
  }

  takeFlips(): SentFlip[] {
    const flips: SentFlip[] = [];
    for (const [id, profile] of this.profiles) {
      for (const { computationId, seq, text } of profile.outbox)
        flips.push({ profile: id, computation: computationId, text, seq });
      profile.outbox = [];
    }
    return flips;
  }
}
