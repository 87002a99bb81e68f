// The product's core, driven as the service will drive it: one profile each, its outbox emptied after every step.
import {
  type AudienceContext,
  accountProfileId,
  advance,
  anonymousProfileId,
  applyEvent,
  type ComputationSet,
  type CoverageOf,
  compileSet,
  completeRelease,
  createProfile,
  expire,
  isSilenced,
  type Moment,
  mergedBy,
  noteUse,
  type Profile,
  type ProfileCall,
  type ProfileEvent,
  parseAudience,
  parseComputedTrait,
  profileFromRecord,
  profileIdOf,
  profileToRecord,
  reduceFnOf,
  seedLeaves,
  subjectIn,
  tellAccounts,
  userProfileId,
} from "#audiences";
import { isNamedCallType } from "#contract";
import type { ProfileState } from "#topics";
import type { Case, CaseComputation } from "./case.ts";
import type { SentFlip } from "./naive.ts";

type Named = NonNullable<ReturnType<NonNullable<AudienceContext["audiences"]>["get"]>>;

function definitionOf({ definition, kind }: CaseComputation, audiences: Map<string, Named>) {
  if (kind === "list") return { kind } as const;
  const reading =
    kind === "trait" ? parseComputedTrait(definition) : parseAudience(definition, { audiences });
  if (!reading.ok) throw new Error(`${JSON.stringify(definition)}: ${JSON.stringify(reading.problems)}`);
  return reading.definition;
}

export function compile({ computations }: Case, coverageOf?: CoverageOf): ComputationSet {
  const audiences = new Map<string, Named>([["list", { references: [] }]]);
  for (const { definition, key, kind } of computations)
    if (kind === "trait")
      audiences.set(key, { references: [], fn: reduceFnOf(definition), of: subjectIn(definition) });
  const inputs = computations.map((computation) => {
    const { id, includeAnonymous, key, sends } = computation;
    const definition = definitionOf(computation, audiences);
    if (definition.kind === "audience") audiences.set(key, definition);
    return { id, key, includeAnonymous, definition, generation: 1, state: "live" as const, sends };
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
  /** Where in the log profiles were merged into others, and where users were deleted. */
  readonly #linkedAt = new Map<string, number>();
  readonly #deletedAt = new Map<string, number>();

  readonly #rewrite: Rewrite;
  /** Not taken yet. */
  #sent: SentFlip[] = [];

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

  #redirectOf(id: string): string | undefined {
    return this.profiles.get(id)?.redirectTo;
  }

  /** The profile that speaks for this one now. */
  #survivorOf(id: string): string {
    const next = this.#redirectOf(id);
    return next === undefined ? id : this.#survivorOf(next);
  }

  #moment(nowMs: number, passedByLinkMs?: number): Moment {
    this.#offset += 1;
    return { offset: this.#offset, nowMs, passedByLinkMs };
  }

  #apply(id: string, event: ProfileEvent, nowMs: number, passedByLinkMs?: number): Profile {
    const moment = this.#moment(nowMs, passedByLinkMs);
    const profile = this.profiles.get(id) ?? createProfile(id, moment.offset);
    this.profiles.set(id, profile);
    this.log.push({ id, event, offset: moment.offset });
    this.#seed(profile, event);
    applyEvent(profile, event, this.set, moment);
    // Read again after a crash: nothing may happen.
    const repeated = applyEvent(profile, event, this.set, moment);
    if (!["already_applied", "redirected", "unlinked"].includes(repeated))
      throw new Error(`applied twice: ${repeated}`);
    return profile;
  }

  call(call: ProfileCall & { readonly previousId: string | null }, nowMs: number): void {
    const own = profileIdOf(call);
    if (own === undefined) return;
    this.#useLink(call, nowMs);
    const survivor = this.#survivorOf(own);
    for (const id of mergedBy(call)) {
      if (id === survivor || this.#redirectOf(id) !== undefined) continue;
      const released = this.#apply(id, { kind: "release", to: survivor }, nowMs);
      this.#tell(nowMs);
      if (released.redirectTo === undefined) continue;
      this.#linkedAt.set(id, this.#offset);
      this.give(released, survivor, nowMs);
    }
    // A call of a merged profile is passed on.
    if (own !== survivor)
      this.log.push({ id: own, event: { kind: "call", call }, offset: this.#moment(nowMs).offset });
    this.#apply(survivor, { kind: "call", call }, nowMs);
    this.#tell(nowMs);
  }

  callOfAccount(call: ProfileCall, groupId: string, nowMs: number): void {
    this.#apply(accountProfileId(groupId), { kind: "call", call }, nowMs);
  }

  /** Accounts learn at once what waits for them, of one user after the other. */
  #tell(nowMs: number): void {
    for (const profile of [...this.profiles.values()].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const facts = profile.outbox.filter(({ toAccount }) => toAccount !== undefined);
      profile.outbox = profile.outbox.filter(({ toAccount }) => toAccount === undefined);
      for (const { atMs, text, toAccount = "" } of facts) {
        const ids = JSON.parse(text) as string[];
        const audienceKeys = ids.map((id) => this.set.computations.get(id)?.key ?? "");
        const fact = { kind: "member", userId: profile.id, audienceKeys, atMs } as const;
        this.#apply(accountProfileId(toAccount), fact, nowMs);
      }
    }
  }

  /** As for a new condition on members. */
  tellAgain(nowMs: number): void {
    for (const profile of this.profiles.values()) tellAccounts(profile, this.set.told, true);
    this.#tell(nowMs);
  }

  /** What a merged profile was released with. */
  give(released: Profile, survivor: string, nowMs: number, passedByLinkMs?: number): void {
    this.#apply(survivor, { kind: "merge", moved: this.#copyOf(released) }, nowMs, passedByLinkMs);
    // The merge comes twice when the service dies before the release is complete.
    this.#apply(survivor, { kind: "merge", moved: this.#copyOf(released) }, nowMs, passedByLinkMs);
    completeRelease(released);
    this.#tell(nowMs);
  }

  /** What a backfill has found of a profile that was merged earlier. */
  giveOn(stub: Profile, nowMs: number): void {
    const survivor = this.#survivorOf(stub.id);
    if (this.#wentWithDeletion(stub, survivor)) return;
    this.give(stub, survivor, nowMs, this.#passedByLinkMs(stub, survivor));
  }

  /** Whether the first that it was merged into was deleted after that, and then merged into another one. */
  #wentWithDeletion({ id, redirectTo = id }: Profile, survivor: string): boolean {
    return redirectTo !== survivor && (this.#deletedAt.get(redirectTo) ?? 0) > (this.#linkedAt.get(id) ?? 0);
  }

  /** Of the last of several links: after the survivor's deletion, or before it; undefined where it is the only one. */
  #passedByLinkMs({ id, redirectTo = id }: Profile, survivor: string): number | undefined {
    if (redirectTo === survivor) return undefined;
    let last = redirectTo;
    for (
      let next = this.#redirectOf(last);
      next !== undefined && next !== survivor;
      next = this.#redirectOf(last)
    )
      last = next;
    const isAfter = (this.#linkedAt.get(last) ?? 0) > (this.#deletedAt.get(survivor) ?? 0);
    return isAfter ? Number.MAX_SAFE_INTEGER : 0;
  }

  /** As `Naive.values`. */
  get values(): Map<string, string> {
    const values = new Map<string, string>();
    for (const profile of this.profiles.values()) {
      if (isSilenced(profile)) continue;
      for (const [computation, { text }] of profile.results)
        if (!["", "false", "null", "0", "[]"].includes(text))
          values.set(`${profile.id} ${computation}`, text);
    }
    return values;
  }

  delete(userId: string, nowMs: number): void {
    const id = userProfileId(userId);
    // The deletion of a merged user is the surviving one's; the cases have none of that.
    if (this.#redirectOf(id) !== undefined) return;
    this.#apply(id, { kind: "delete", atMs: nowMs }, nowMs);
    this.#deletedAt.set(id, this.#offset);
    this.#tell(nowMs);
  }

  /** Whether the call of a suppressed user who was merged counts, the surviving profile says. */
  suppress(userId: string, isSuppressed: boolean, nowMs: number): void {
    const id = userProfileId(userId);
    if (this.#redirectOf(id) !== undefined) return;
    this.#apply(id, { kind: "suppress", sourceId: null, isSuppressed }, nowMs);
    this.#tell(nowMs);
  }

  list(userId: string, listId: string, isMember: boolean, nowMs: number): void {
    this.#apply(userProfileId(userId), { kind: "list", listId, isMember }, nowMs);
    this.#tell(nowMs);
  }

  /** As the link is said again with a call of both ids, and a call of the merged one is passed on. */
  #useLink({ anonymousId }: ProfileCall, nowMs: number): void {
    const profile = anonymousId === null ? undefined : this.profiles.get(anonymousProfileId(anonymousId));
    if (profile?.redirectTo !== undefined) noteUse(profile, nowMs);
  }

  /** As an owner of a partition that has committed all events, and sent what has changed. */
  expire(nowMs: number, unusedMs: number, isLogKept: boolean): void {
    this.#sent = this.takeFlips();
    const log = { committedTo: this.offset, logStart: isLogKept ? 0 : this.offset };
    for (const [id, profile] of [...this.profiles]) {
      const expiry = expire(profile, this.set, { ...log, nowMs, retentionMs: unusedMs });
      if (expiry === "removed" || expiry === "unlinked") this.profiles.delete(id);
    }
  }

  clock(nowMs: number): void {
    for (const profile of this.profiles.values())
      if (profile.nextDeadlineMs <= nowMs) advance(profile, this.set, nowMs);
    this.#tell(nowMs);
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
    if (name === null || !isNamedCallType(type)) return [];
    return this.set.events[type].get(name) ?? [];
  }

  takeFlips(): SentFlip[] {
    const flips = this.#sent;
    this.#sent = [];
    for (const [id, profile] of this.profiles) {
      for (const { atMs, computationId, isTracked, seq, text, traits } of profile.outbox)
        flips.push({ profile: id, computation: computationId, text, seq, atMs, traits, isTracked });
      profile.outbox = [];
    }
    return flips;
  }
}
