// Who there is in a world of audiences, and what each has done: from the calls alone.
import { SPACE_SOURCE } from "#contract";
import type { Call } from "#topics";
import {
  type NaiveCall,
  type NaivePerson,
  naiveMember,
  naiveTrait,
} from "../../audiences/naive-definition.ts";
import { ownerOf } from "./audience-changes.ts";
import { isRefusing } from "./order.ts";
import type { Story, Written } from "./story.ts";

interface CallFields extends Pick<Call, "type" | "timestampMs" | "receivedAtMs" | "body" | "userId"> {
  readonly name: string | null;
}

/** Its traits are those of group calls, as those of a user are of identify calls. */
const TYPES_OF_ACCOUNTS: Readonly<Record<string, string>> = { group: "identify", identify: "of a user" };

export function naiveCallOf(
  { body, name, receivedAtMs, timestampMs, type, userId }: CallFields,
  order: number,
  isOfAccount = false,
): NaiveCall {
  return {
    type: (isOfAccount ? TYPES_OF_ACCOUNTS[type] : undefined) ?? type,
    name: name ?? "",
    atMs: Math.min(timestampMs, receivedAtMs),
    receivedAtMs,
    order,
    userId,
    body: JSON.parse(body.toString()) as Record<string, unknown>,
  };
}

/** Calls of customers, each once, in the order of the log. */
function givenCalls({ calls }: Story): readonly Written<Call>[] {
  const known = new Set<string>();
  return calls.filter(({ value }) => {
    const id = `${ownerOf(value)} ${value.messageId}`;
    if (value.sourceId === SPACE_SOURCE || value.type === "delete" || known.has(id)) return false;
    known.add(id);
    return true;
  });
}

/** Profile by the one that it was merged into. Whoever links an id first links it to the same user: plans are drawn so. */
export function mergedOf(story: Story): ReadonlyMap<string, string> {
  const merged = new Map<string, string>();
  for (const { value } of givenCalls(story)) {
    const { anonymousId, body, type, userId } = value;
    if (userId === null) continue;
    if (anonymousId !== null) merged.set(`anon:${anonymousId}`, userId);
    if (type !== "alias") continue;
    const { previousId } = JSON.parse(body.toString()) as { previousId: string };
    merged.set(previousId, userId);
    merged.set(`anon:${previousId}`, userId);
  }
  return merged;
}

export const isOfAccounts = ({ definition }: Pick<Question, "definition">): boolean =>
  definition?.includes('"of":"accounts"') ?? false;

/** The profile of the account that the call names. */
function accountOf({ body, type }: Call): string | undefined {
  const { context, groupId } = JSON.parse(body.toString()) as {
    readonly context?: { readonly groupId?: string };
    readonly groupId?: string;
  };
  const named = type === "group" ? groupId : context?.groupId;
  return named === undefined ? undefined : `group:${named}`;
}

/** Of an account also its members, by user: whose calls have named it. */
export interface Somebody extends NaivePerson {
  readonly users?: ReadonlyMap<string, NaivePerson>;
}

/** Keys of audiences of users that a condition on members asks about. */
function askedOfMembers(definition: string | null): string[] {
  if (definition?.includes('"members"') !== true) return [];
  return [...definition.matchAll(/"audience":"(?<key>[^"]+)"/g)].map(([, key = ""]) => key);
}

export const asksAboutUsers = ({ definition }: Pick<Question, "definition">): boolean =>
  askedOfMembers(definition).length > 0;

const nobody = (): Somebody => ({ calls: [], lists: new Set<string>() });

/**
 * Users and accounts of calls of which a later copy may count instead of the first: Kafka refused writes for good meanwhile, and what is written
 * again comes behind what followed it.
 */
export function overtakenOf(story: Story): ReadonlySet<string> {
  const copied = new Map<string, string>();
  const overtaken = new Set<string>();
  if (!isRefusing(story)) return overtaken;
  const merged = mergedOf(story);
  for (const { value } of story.calls) {
    const owner = ownerOf(value);
    const id = `${owner} ${value.messageId}`;
    const body = value.body.toString();
    if ((copied.get(id) ?? body) !== body)
      for (const one of [merged.get(owner) ?? owner, accountOf(value)])
        if (one !== undefined) overtaken.add(one);
    copied.set(id, body);
  }
  return overtaken;
}

/** By user and account: everything that counts for them in the end, if nobody was deleted and no list names them. */
export function peopleOf(story: Story): ReadonlyMap<string, Somebody> {
  const merged = mergedOf(story);
  const people = new Map<string, Somebody>();
  const members = new Map<string, Set<string>>();
  const hasAccounts = story.plan.audiences.some(({ config }) => isOfAccounts(config));
  const give = (to: string, call: NaiveCall): void => {
    const person = people.get(to) ?? nobody();
    people.set(to, person);
    person.calls.push(call);
  };
  givenCalls(story).forEach(({ value }, order) => {
    const own = ownerOf(value);
    const call = { ...value, name: value.event };
    give(merged.get(own) ?? own, naiveCallOf(call, order));
    const account = hasAccounts ? accountOf(value) : undefined;
    if (account === undefined) return;
    give(account, naiveCallOf(call, order, true));
    const known = members.get(account) ?? new Set();
    members.set(account, known);
    if (value.userId !== null) known.add(merged.get(value.userId) ?? value.userId);
  });
  for (const [account, ids] of members) {
    const users = new Map([...ids].map((id) => [id, people.get(id) ?? nobody()]));
    people.set(account, { ...(people.get(account) ?? nobody()), users });
  }
  return people;
}

/** What is asked of one person. */
export interface Question {
  readonly kind: string;
  readonly id: string;
  /** JSON; null of a list. */
  readonly definition: string | null;
}

/** The value that is sent of the person at this moment, computed anew from all calls. `named` answers for keys that definitions name. */
export function naiveValue(
  { definition, id, kind }: Question,
  somebody: Somebody,
  { named, nowMs }: { readonly nowMs: number; named(key: string): Question | undefined },
): unknown {
  if (definition === null) return somebody.lists.has(id);
  const isIn = (key: string, user: NaivePerson): boolean => {
    const question = named(key);
    return question !== undefined && naiveValue(question, user, { named, nowMs }) === true;
  };
  const asked = askedOfMembers(definition);
  const members = Array.from(
    asked.length === 0 ? [] : (somebody.users ?? []),
    ([user, of]) => [user, asked.filter((key) => isIn(key, of))] as const,
  );
  const person = { ...somebody, members: new Map(members) };
  const parsed = JSON.parse(definition) as Record<string, unknown>;
  if (kind === "trait") return naiveTrait(parsed, person, nowMs);
  return naiveMember(parsed, person, nowMs, (key) => {
    const question = named(key);
    return question && naiveValue(question, person, { named, nowMs });
  });
}
