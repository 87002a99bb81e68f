// The product's core, driven as the service will drive it: one profile each, its outbox emptied after every step.
import {
  advance,
  applyEvent,
  type ComputationSet,
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

function compile({ computations }: Case): ComputationSet {
  const audiences = new Map<string, { references: readonly string[] }>([["list", { references: [] }]]);
  const inputs = computations.map((computation) => {
    const { id, includeAnonymous, key } = computation;
    const definition = definitionOf(computation, audiences);
    audiences.set(key, { references: definition.kind === "audience" ? definition.references : [] });
    return { id, key, includeAnonymous, definition, generation: 1, state: "live" as const };
  });
  return compileSet(inputs);
}

export type Rewrite = (record: ProfileState) => ProfileState;

export class Product {
  readonly set: ComputationSet;
  readonly profiles = new Map<string, Profile>();
  #offset = 0;

  readonly #rewrite: Rewrite;

  constructor(given: Case, rewrite: Rewrite) {
    this.set = compile(given);
    this.#rewrite = rewrite;
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
      this.#apply(survivor, { kind: "merge", moved: this.#copyOf(released) }, nowMs);
      // The merge comes twice when the service dies before the release is complete.
      this.#apply(survivor, { kind: "merge", moved: this.#copyOf(released) }, nowMs);
      completeRelease(released);
    }
    this.#apply(survivor, { kind: "call", call }, nowMs);
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
