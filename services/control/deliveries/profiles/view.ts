// One profile, as the API says it.

import type { Static } from "typebox";
import type { Profile } from "#audiences";
import { parseExactJson } from "#contract";
import type { AudienceConfig } from "#topics";
import { isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import type { RecentCalls } from "./calls.ts";
import { type LinkedIds, userOfProfile } from "./ids.ts";
import type { ProfileView } from "./schemas.ts";

type View = Static<typeof ProfileView>;

/** Of a suppressed user, and of one who did nothing. */
export function silentView(id: string): View {
  return {
    id,
    ...userOfProfile(id),
    isSuppressed: true,
    isIncomplete: false,
    deletedAt: null,
    ...{ traits: [], computedTraits: [], audiences: [], events: [] },
    ids: { data: [], isComplete: true },
    calls: { data: [], from: null },
  };
}

export interface Around {
  readonly configs: readonly AudienceConfig[];
  readonly ids: LinkedIds;
  readonly calls: RecentCalls;
}

export function profileView(profile: Profile, { calls, configs, ids }: Around): View {
  const { deletedAtMs, id, incompleteFor, uncounted } = profile;
  return {
    id,
    ...userOfProfile(id),
    isSuppressed: false,
    isIncomplete: incompleteFor.size > 0 || uncounted > 0,
    deletedAt: isoTimeOrNull(deletedAtMs),
    traits: traitsOf(profile),
    ...resultsOf(profile, configs),
    events: eventsOf(profile),
    ids: { ...ids, data: ids.data.map(userOfProfile) },
    calls: callsView(calls),
  };
}

const byKey = (one: { readonly key: string }, other: { readonly key: string }): number =>
  one.key < other.key ? -1 : 1;

function traitsOf({ traits }: Profile): View["traits"] {
  const all = Array.from(traits, ([key, { atMs, value }]) => ({ key, value, updatedAt: isoTime(atMs) }));
  return all.filter(({ value }) => value !== null).sort(byKey);
}

function eventsOf({ events }: Profile): View["events"] {
  return [...events.values()]
    .toSorted((one, other) => other.lastMs - one.lastMs)
    .map(({ count, firstMs, lastMs, name, type }) => ({
      ...{ type, name, count },
      firstAt: isoTime(firstMs),
      lastAt: isoTime(lastMs),
    }));
}

function resultsOf(
  { incompleteFor, results }: Profile,
  configs: readonly AudienceConfig[],
): Pick<View, "audiences" | "computedTraits"> {
  const audiences: View["audiences"] = [];
  const computedTraits: View["computedTraits"] = [];
  for (const { deletedAtMs, id, key, kind, name } of configs) {
    const result = results.get(id);
    if (deletedAtMs !== null || result === undefined || result.text === "") continue;
    const named = { id, key, name, since: isoTime(result.sinceMs), isIncomplete: incompleteFor.has(id) };
    if (kind === "trait") computedTraits.push({ ...named, value: parseExactJson(result.text) });
    else audiences.push({ ...named, member: result.text === "true" });
  }
  const newestFirst = (one: View["audiences"][number], other: View["audiences"][number]): number =>
    Number(other.member) - Number(one.member) || Date.parse(other.since) - Date.parse(one.since);
  return { audiences: audiences.sort(newestFirst), computedTraits: computedTraits.sort(byKey) };
}

function callsView({ data, fromMs }: RecentCalls): View["calls"] {
  return {
    data: data.map(
      ({ anonymousId, destinationIds, messageId, outcome, receivedAtMs, sourceId, type, userId }) => ({
        ...{ messageId, sourceId, userId, anonymousId, type },
        receivedAt: isoTime(receivedAtMs),
        outcome,
        destinationIds: [...destinationIds],
      }),
    ),
    from: isoTimeOrNull(fromMs),
  };
}
