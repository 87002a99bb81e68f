// In which of the audiences that a definition names under `members` each account's members are, from one look at all users: what accounts learn when it
// is made (contract 8.10). What a live audience asks for that the definition names, accounts know.
import { type ComputationSet, learnMember, type MemberFact, ownerOf, type Profile } from "#audiences";
import type { ToldState } from "../../records/profiles/replica.ts";
import type { Pause } from "../../records/profiles/slices.ts";
import type { MemberParts } from "./member-parts.ts";
import { untoldLeaves } from "./preparation.ts";
import { lookAtSome, MAX_MS } from "./sample.ts";
import { statusOf } from "./views.ts";

/** Of the time for the answer; accounts are judged in the rest of it. */
const LOOKING_MS = (MAX_MS * 3) / 5;
/** About 100 bytes each at most. */
const MAX_FACTS = 300_000;

export interface ToldMembers {
  /** Keys of the audiences of which not every user is known. */
  readonly unknownAudiences: readonly string[];
  /** Lets an account know what it would be told. */
  tell(profile: Profile): Promise<void>;
}

interface Asked {
  readonly set: ComputationSet;
  readonly nowMs: number;
  readonly pause: Pause;
}

/** Undefined when accounts have been told all that is asked for. */
export async function toldMembers(
  parts: MemberParts,
  { nowMs, pause, set }: Asked,
): Promise<ToldMembers | undefined> {
  const untold = await untoldLeaves(parts, set, pause);
  if (untold.length === 0) return undefined;
  // Of a user an account learns all at once, also of audiences that it knows of.
  const named = parts.audiences
    .list()
    .filter(({ deletedAtMs, key }) => deletedAtMs === null && set.events.member.has(key));
  const gathering = new Gathering(new Map(named.map(({ id, key }) => [id, key])));
  const look = { most: Number.POSITIVE_INFINITY, endMs: parts.host.elapsed() + LOOKING_MS, pause };
  const { isWhole } = await lookAtSome(parts, { ...look, of: "users" }, async (partition, id) => {
    const owner = ownerOf(id);
    if (!("userId" in owner) || gathering.isFull) return;
    const told = await parts.profiles.toldState(partition, id);
    if (told !== undefined) gathering.note(owner.userId, told, nowMs);
  });
  const isKnown = isWhole && !gathering.isFull;
  const asked = named.filter(({ key }) => untold.some(({ plan }) => plan.leaf.name === key));
  const unknown = isKnown ? asked.filter((one) => statusOf(one, parts).progress !== null) : asked;
  return {
    unknownAudiences: unknown.map(({ key }) => key).sort(),
    async tell(profile) {
      for (const fact of gathering.of(profile.id)) {
        learnMember(profile, fact, { set, nowMs });
        await pause();
      }
    },
  };
}

class Gathering {
  readonly #keys: ReadonlyMap<string, string>;
  readonly #facts = new Map<string, MemberFact[]>();
  #count = 0;
  isFull = false;

  /** By id, the keys of the audiences that are asked for. */
  constructor(keys: ReadonlyMap<string, string>) {
    this.#keys = keys;
  }

  note(userId: string, { accounts, results }: ToldState, atMs: number): void {
    if (accounts.length === 0) return;
    const audienceKeys = results.flatMap(({ computationId, text }) =>
      text === "true" ? (this.#keys.get(computationId) ?? []) : [],
    );
    if (audienceKeys.length === 0) return;
    const fact = { userId, audienceKeys, atMs };
    for (const { groupId } of accounts) {
      const known = this.#facts.get(groupId);
      if (known === undefined) this.#facts.set(groupId, [fact]);
      else known.push(fact);
    }
    this.#count += accounts.length;
    this.isFull ||= this.#count > MAX_FACTS;
  }

  of(profileId: string): readonly MemberFact[] {
    const owner = ownerOf(profileId);
    return ("groupId" in owner && this.#facts.get(owner.groupId)) || [];
  }
}
