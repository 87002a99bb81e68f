// Everyone's calls, kept for ever, and what was sent of each: the flips that the product should make.
import type { Case, CaseComputation, CaseIds } from "./case.ts";
import {
  type NaiveCall,
  type NaivePerson,
  naiveMember,
  naiveTrait,
  naiveTraits,
} from "./naive-definition.ts";

export interface SentFlip {
  readonly profile: string;
  readonly computation: string;
  readonly text: string;
  readonly seq: number;
  /** JSON of the traits that go along, "" for none; whether there is a track call. */
  readonly traits: string;
  readonly isTracked: boolean;
  /** Of the product alone, Unix ms. */
  readonly atMs?: number;
}

interface Person extends NaivePerson {
  readonly members: Map<string, readonly string[]>;
  /** Of a user: accounts that calls have named. */
  readonly accounts: Set<string>;
  readonly seen: Set<string>;
  readonly sent: Map<string, { text: string; seq: number }>;
  isKnown: boolean;
  clockMs: number;
  deletedAtMs: number;
  isSuppressed: boolean;
  /** Of an anonymous id: its last call that counted. */
  usedAtMs: number;
  /** When all that was known was forgotten. */
  emptiedAtMs: number;
}

export interface NaiveInput {
  readonly ids: CaseIds;
  readonly messageId: string;
  readonly call: NaiveCall;
  readonly groupId?: string | undefined;
}

/** The traits as they are now, without what is null or not there, in the order in which they were chosen. */
function alongOf({ sends }: CaseComputation, person: NaivePerson): Pick<SentFlip, "traits" | "isTracked"> {
  const has = naiveTraits(person);
  const chosen = (sends?.traits ?? []).filter((name) => has[name] !== undefined && has[name] !== null);
  const traits = chosen.map((name) => `${JSON.stringify(name)}:${JSON.stringify(has[name])}`);
  return {
    traits: traits.length === 0 ? "" : `{${traits.join()}}`,
    isTracked: sends?.hasTrackCalls ?? false,
  };
}

const EMPTY = ["false", "null", "0", "[]"];

export class Naive {
  readonly #computations: readonly CaseComputation[];
  readonly #people = new Map<string, Person>();
  readonly #merged = new Map<string, string>();
  /** By merged anonymous id: when it was used last. */
  readonly #linkUsedAtMs = new Map<string, number>();
  #flips: SentFlip[] = [];

  constructor({ computations }: Case) {
    this.#computations = computations;
  }

  #person(id: string): Person {
    const known = this.#people.get(id);
    if (known !== undefined) return known;
    const person: Person = {
      calls: [],
      lists: new Set(),
      members: new Map(),
      accounts: new Set(),
      seen: new Set(),
      sent: new Map(),
      isKnown: false,
      clockMs: 0,
      deletedAtMs: -Infinity,
      isSuppressed: false,
      usedAtMs: 0,
      emptiedAtMs: 0,
    };
    this.#people.set(id, person);
    return person;
  }

  #root(id: string): string {
    const next = this.#merged.get(id);
    return next === undefined ? id : this.#root(next);
  }

  #valueOf(computation: CaseComputation, person: Person, nowMs: number): unknown {
    const { definition, id, kind } = computation;
    if (kind === "list") return person.lists.has(id);
    if (kind === "trait") return naiveTrait(definition, person, nowMs);
    return naiveMember(definition, person, nowMs, (key) => {
      const named = this.#computations.find((one) => one.key === key);
      return named && this.#valueOf(named, person, nowMs);
    });
  }

  /** Sends what differs from what was sent. */
  #judge(id: string, nowMs: number): void {
    const person = this.#person(id);
    if (person.isSuppressed) return;
    person.clockMs = Math.max(person.clockMs, nowMs);
    for (const computation of this.#computations) {
      const isForThem =
        !id.startsWith("anon:") || (computation.includeAnonymous && computation.kind !== "trait");
      const isOfAccounts = computation.definition["of"] === "accounts";
      if (!isForThem || isOfAccounts !== id.startsWith("group:")) continue;
      const text = JSON.stringify(this.#valueOf(computation, person, person.clockMs));
      const sent = person.sent.get(computation.id);
      if (sent === undefined ? EMPTY.includes(text) : sent.text === text) continue;
      const seq = (sent?.seq ?? 0) + 1;
      person.sent.set(computation.id, { text, seq });
      const along = alongOf(computation, person);
      this.#flips.push({ profile: id, computation: computation.id, text, seq, ...along });
    }
  }

  /** Which audiences conditions on members ask about. */
  get #asked(): readonly CaseComputation[] {
    const text = JSON.stringify(
      this.#computations.filter(({ definition }) => definition["of"] === "accounts"),
    );
    return this.#computations.filter(({ key }) => text.includes(`{"audience":"${key}"}`));
  }

  /** Accounts learn what is so of the user by now, all of it at once; of one who is gone that there is nothing. */
  #tell(user: string, accounts: Iterable<string>, nowMs: number): void {
    const { isSuppressed, sent } = this.#people.get(user) ?? { isSuppressed: false, sent: new Map() };
    if (isSuppressed) return;
    const keys = this.#asked.flatMap(({ id, key }) => (sent.get(id)?.text === "true" ? key : []));
    for (const account of accounts) {
      const id = `group:${account}`;
      const known = this.#people.get(id)?.members.get(user) ?? [];
      if (keys.join() === known.join()) continue;
      const person = this.#person(id);
      person.members.set(user, keys);
      person.isKnown = true;
      this.#judge(id, nowMs);
    }
  }

  /**
   * Of who was suppressed before the computations were there nobody was told anything. Of who was suppressed while they were prepared it is
   * chance what accounts know: that is as the product has it.
   */
  untellSuppressed(nowMs: number, isTold: (user: string) => boolean): void {
    for (const [user, { isSuppressed }] of [...this.#people])
      for (const [id, { members }] of isSuppressed && !isTold(user) ? [...this.#people] : [])
        if (members.delete(user)) this.#judge(id, nowMs);
  }

  #tellAll(nowMs: number): void {
    for (const [id, { accounts }] of [...this.#people].sort(([a], [b]) => (a < b ? -1 : 1)))
      this.#tell(id, accounts, nowMs);
  }

  merge(from: string, to: string, nowMs: number): void {
    const [source, target] = [from, this.#root(to)];
    if (this.#merged.has(source) || source === target) return;
    const [moved, person] = [this.#person(source), this.#person(target)];
    if (moved.isSuppressed) return;
    if (source.startsWith("anon:")) this.#linkUsedAtMs.set(source, nowMs);
    if (person.isSuppressed) {
      this.#merged.set(source, target);
      this.#people.delete(source);
      this.#tell(source, moved.accounts, nowMs);
      return;
    }
    person.calls.push(...moved.calls);
    for (const one of moved.seen) person.seen.add(one);
    this.#merged.set(source, target);
    this.#people.delete(source);
    this.#tell(source, moved.accounts, nowMs);
    for (const account of moved.accounts) person.accounts.add(account);
    person.isKnown = true;
    this.#judge(target, Math.max(nowMs, moved.clockMs));
    this.#tellAll(nowMs);
  }

  call(input: NaiveInput, nowMs: number): void {
    this.#useLinks(input.ids, nowMs);
    this.#count(this.#root(input.ids.userId ?? `anon:${input.ids.anonymousId}`), input, nowMs);
    this.#tellAll(nowMs);
  }

  /** The traits of an account are those of its group calls. */
  callOfAccount(input: NaiveInput, groupId: string, nowMs: number): void {
    const types: Record<string, string> = { group: "identify", identify: "of a user" };
    const { type } = input.call;
    const call = { ...input.call, type: types[type] ?? type };
    this.#count(`group:${groupId}`, { ...input, call, groupId: undefined }, nowMs);
  }

  #count(id: string, { call, groupId, ids, messageId }: NaiveInput, nowMs: number): void {
    const own = ids.userId ?? `anon:${ids.anonymousId}`;
    const person = this.#person(id);
    const identity = `${own} ${messageId}`;
    if (call.atMs <= person.deletedAtMs || person.isSuppressed || person.seen.has(identity)) return;
    person.seen.add(identity);
    if (person.isKnown && call.atMs > person.clockMs) {
      // What had ended before the call is told as that, also where the call begins it anew.
      this.#judge(id, call.atMs);
      this.#tell(id, person.accounts, call.atMs);
    }
    person.isKnown = true;
    person.usedAtMs = nowMs;
    person.calls.push(call);
    if (groupId !== undefined && ids.userId !== null) person.accounts.add(groupId);
    this.#judge(id, nowMs);
  }

  #useLinks({ anonymousId }: CaseIds, nowMs: number): void {
    const id = `anon:${anonymousId}`;
    if (anonymousId !== null && this.#merged.has(id)) this.#linkUsedAtMs.set(id, nowMs);
  }

  /**
   * Who has not used the anonymous id for so long leaves, and is a stranger from then on. Returns those of whom nothing is left: a day later, or after the
   * time again where that is shorter. Links go after one and a half times as long, unless calls from before them can be read again.
   */
  expire(nowMs: number, unusedMs: number, isLogKept: boolean): string[] {
    const gone: string[] = [];
    for (const [id, atMs] of this.#linkUsedAtMs) {
      if (isLogKept || nowMs < atMs + 1.5 * unusedMs) continue;
      this.#merged.delete(id);
      this.#linkUsedAtMs.delete(id);
      gone.push(id);
    }
    for (const [id, { emptiedAtMs, isKnown, usedAtMs }] of [...this.#people]) {
      if (!id.startsWith("anon:") || nowMs < usedAtMs + unusedMs) continue;
      if (isKnown) this.#empty(id, nowMs);
      else if (nowMs >= emptiedAtMs + Math.min(unusedMs, 86_400_000)) gone.push(id);
    }
    for (const id of gone) this.#people.delete(id);
    return gone;
  }

  #empty(id: string, nowMs: number): void {
    const person = this.#person(id);
    const { clockMs, sent, usedAtMs } = person;
    for (const computation of this.#computations) {
      const { seq, text } = sent.get(computation.id) ?? { seq: 0, text: "" };
      if (text !== "true") continue;
      const left = { text: "false", seq: seq + 1 };
      sent.set(computation.id, left);
      this.#flips.push({
        profile: id,
        computation: computation.id,
        ...left,
        ...alongOf(computation, person),
      });
    }
    this.#people.delete(id);
    Object.assign(this.#person(id), { sent, usedAtMs, emptiedAtMs: Math.max(clockMs, nowMs) });
  }

  delete(userId: string, nowMs: number): void {
    if (this.#merged.has(userId)) return;
    const { accounts, isSuppressed } = this.#person(userId);
    this.#people.delete(userId);
    this.#tell(userId, accounts, nowMs);
    Object.assign(this.#person(userId), { deletedAtMs: nowMs, isSuppressed });
  }

  /** Nothing is sent meanwhile and nothing counts; afterwards the differences are sent. */
  suppress(userId: string, isSuppressed: boolean, nowMs: number): void {
    if (this.#merged.has(userId)) return;
    const person = this.#person(userId);
    person.isSuppressed = isSuppressed;
    if (person.isKnown) this.#judge(userId, nowMs);
    this.#tellAll(nowMs);
  }

  list(userId: string, listId: string, isMember: boolean, nowMs: number): void {
    if (this.#merged.has(userId)) return;
    const person = this.#person(userId);
    if (person.isSuppressed) return;
    person.isKnown = true;
    if (isMember) person.lists.add(listId);
    else person.lists.delete(listId);
    this.#judge(userId, nowMs);
    this.#tellAll(nowMs);
  }

  clock(nowMs: number): void {
    for (const [id, { isKnown }] of this.#people) if (isKnown) this.#judge(id, nowMs);
    this.#tellAll(nowMs);
  }

  /** What was last sent of each who is not suppressed, by profile and computation; what is empty is as good as not sent. */
  get values(): Map<string, string> {
    const values = new Map<string, string>();
    for (const [profile, { isSuppressed, sent }] of this.#people) {
      if (isSuppressed) continue;
      for (const [computation, { text }] of sent)
        if (!EMPTY.includes(text)) values.set(`${profile} ${computation}`, text);
    }
    return values;
  }

  takeFlips(): SentFlip[] {
    const flips = this.#flips;
    this.#flips = [];
    return flips;
  }
}
