// Who there is in a world of audiences, what each has done, and what was sent of each: from the logs alone.
import { SPACE_SOURCE } from "#contract";
import type { AudienceConfig, Call } from "#topics";
import { type NaiveCall, type NaivePerson, naiveMember } from "../../audiences/naive-definition.ts";
import type { Story, Written } from "./story.ts";

/** A value that was sent, at its first writing. */
export interface Change {
  /** A userId; of an anonymous profile with `anon:` in front. */
  readonly user: string;
  readonly audience: AudienceConfig;
  readonly value: unknown;
  /** The moment for which it was sent, Unix ms. */
  readonly atMs: number;
  readonly messageId: string;
}

/** A call as a profile's log has it. */
export interface DoneCall {
  readonly call: NaiveCall;
  /** When it was in `calls`, milliseconds of the world. */
  readonly storedAtMs: number;
}

const ownerOf = ({ anonymousId, userId }: Pick<Call, "anonymousId" | "userId">): string =>
  userId ?? `anon:${anonymousId}`;

/** The newest version of each audience. */
export function audiencesOf({ plan }: Story): readonly AudienceConfig[] {
  return [...new Map(plan.audiences.map(({ config }) => [config.id, config])).values()];
}

/** All that was sent, without what was sent again under the same id. */
export function changesOf(story: Story): readonly Change[] {
  const byKey = new Map(audiencesOf(story).map((audience) => [audience.key, audience]));
  const changes = new Map<string, Change>();
  for (const { value } of story.calls) {
    if (value.sourceId !== SPACE_SOURCE || changes.has(value.messageId)) continue;
    const { traits } = JSON.parse(value.body.toString()) as { traits: Record<string, unknown> };
    for (const [key, sent] of Object.entries(traits)) {
      const audience = byKey.get(key);
      if (audience === undefined) continue;
      const { messageId, receivedAtMs: atMs } = value;
      changes.set(messageId, { user: ownerOf(value), audience, value: sent, atMs, messageId });
    }
  }
  return [...changes.values()];
}

interface CallFields
  extends Pick<
    Call,
    "type" | "timestampMs" | "receivedAtMs" | "body" | "messageId" | "userId" | "anonymousId"
  > {
  readonly name: string | null;
}

function naiveCallOf({ body, name, receivedAtMs, timestampMs, type }: CallFields, order: number): NaiveCall {
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
    if (value.sourceId === SPACE_SOURCE || known.has(id)) return false;
    known.add(id);
    return true;
  });
}

/** Profile by the one that it was merged into. Whoever links an id first links it to the same user: plans are drawn so. */
function mergedOf(calls: readonly Written<Call>[]): ReadonlyMap<string, string> {
  const merged = new Map<string, string>();
  for (const { value } of calls) {
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

/** By user: everything that counts for them in the end. */
export function peopleOf(story: Story): ReadonlyMap<string, NaivePerson> {
  const calls = givenCalls(story);
  const merged = mergedOf(calls);
  const people = new Map<string, NaivePerson>();
  calls.forEach(({ value }, order) => {
    const own = ownerOf(value);
    const user = merged.get(own) ?? own;
    const person = people.get(user) ?? { calls: [], lists: new Set() };
    people.set(user, person);
    person.calls.push(naiveCallOf({ ...value, name: value.event }, order));
  });
  return people;
}

/** By user: what was done, in the order in which profiles have it. Nobody who was merged, or into whom somebody was. */
export function unlinkedHistoriesOf(story: Story): ReadonlyMap<string, readonly DoneCall[]> {
  const merged = mergedOf(givenCalls(story));
  const linked = new Set([...merged.keys(), ...merged.values()]);
  const storedAtMs = new Map(story.calls.toReversed().map(({ atMs, value }) => [value.messageId, atMs]));
  const histories = new Map<string, Map<string, DoneCall>>();
  for (const { record, value } of story.profileEvents) {
    const { call } = value;
    const user = record.key ?? "";
    if (call === null || linked.has(user)) continue;
    const history = histories.get(user) ?? new Map<string, DoneCall>();
    histories.set(user, history);
    if (history.has(call.messageId)) continue;
    const done = { call: naiveCallOf(call, record.offset), storedAtMs: storedAtMs.get(call.messageId) ?? 0 };
    history.set(call.messageId, done);
  }
  return new Map(Array.from(histories, ([user, history]) => [user, [...history.values()]]));
}

/** Whether the person is in the audience at this moment, computed anew from all calls. */
export function isMember(
  audience: AudienceConfig,
  person: NaivePerson,
  moment: { readonly nowMs: number; readonly audiences: readonly AudienceConfig[] },
): boolean {
  const definition = JSON.parse(audience.definition ?? "{}") as Record<string, unknown>;
  return naiveMember(definition, person, moment.nowMs, (key) => {
    const named = moment.audiences.find((one) => one.key === key);
    return named !== undefined && isMember(named, person, moment);
  });
}
