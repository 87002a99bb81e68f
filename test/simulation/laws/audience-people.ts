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
import type { Story, Written } from "./story.ts";

interface CallFields extends Pick<Call, "type" | "timestampMs" | "receivedAtMs" | "body"> {
  readonly name: string | null;
}

export function naiveCallOf(
  { body, name, receivedAtMs, timestampMs, type }: CallFields,
  order: number,
): NaiveCall {
  return {
    type,
    name: name ?? "",
    atMs: Math.min(timestampMs, receivedAtMs),
    receivedAtMs,
    order,
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

/** By user: everything that counts for them in the end, if nobody was deleted and no list names them. */
export function peopleOf(story: Story): ReadonlyMap<string, NaivePerson> {
  const merged = mergedOf(story);
  const people = new Map<string, NaivePerson>();
  givenCalls(story).forEach(({ value }, order) => {
    const own = ownerOf(value);
    const user = merged.get(own) ?? own;
    const person = people.get(user) ?? { calls: [], lists: new Set() };
    people.set(user, person);
    person.calls.push(naiveCallOf({ ...value, name: value.event }, order));
  });
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
  person: NaivePerson,
  { named, nowMs }: { readonly nowMs: number; named(key: string): Question | undefined },
): unknown {
  if (definition === null) return person.lists.has(id);
  const parsed = JSON.parse(definition) as Record<string, unknown>;
  if (kind === "trait") return naiveTrait(parsed, person, nowMs);
  return naiveMember(parsed, person, nowMs, (key) => {
    const question = named(key);
    return question && naiveValue(question, person, { named, nowMs });
  });
}
