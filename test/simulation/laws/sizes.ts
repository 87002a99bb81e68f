// How many are in each audience and list, as its rows say.
import type { AudienceHour, AudienceSize } from "#topics";
import { changesOf, newestProfiles } from "./audience-changes.ts";
import { versionsOf } from "./audience-versions.ts";
import { audienceLaw } from "./audiences.ts";
import type { Story } from "./story.ts";

/** What has changed is in the rows by then. */
const WRITTEN_WITHIN_MS = 5_000;

interface Counted {
  readonly entered: number;
  readonly left: number;
  readonly members: number;
}

/** By audience and partition. */
function countedOf({ sizes }: Story): ReadonlyMap<string, Counted> {
  const newest = new Map(sizes.map(({ record, value }) => [record.key ?? "", value]));
  const rows = [...newest.values()].filter((row): row is AudienceSize => row !== null && row.id !== "");
  return new Map(
    Array.from(
      Map.groupBy(rows, ({ id, partition }) => `${id}-${partition}`),
      ([place, own]) => {
        const hours = own.flatMap((row) => row.hours);
        const last = own.reduce((one, other) => (other.day > one.day ? other : one));
        const sum = (of: (hour: AudienceHour) => number): number =>
          hours.reduce((total, hour) => total + of(hour), 0);
        const counted = { entered: sum(({ entered }) => entered), left: sum(({ left }) => left) };
        return [place, { ...counted, members: last.members }] as const;
      },
    ),
  );
}

/** By audience and partition. */
function membersOf(story: Story): ReadonlyMap<string, number> {
  const members = new Map<string, number>();
  for (const { record, value } of newestProfiles(story).values())
    for (const { computationId, text } of value.results) {
      if (text !== "true") continue;
      const place = `${computationId}-${record.partition}`;
      members.set(place, (members.get(place) ?? 0) + 1);
    }
  return members;
}

/** Nobody is deleted or merged: who has entered was sent so. */
function isPlain({ happenings, profileEvents }: Story): boolean {
  const kinds = new Set(profileEvents.map(({ value }) => value.kind));
  const isCut = happenings.some(({ kind }) => kind === "cut" || kind === "removed");
  return !isCut && [...kinds].every((kind) => kind === "call" || kind === "list");
}

/** Whatever dies: no entry and no exit is missing, and none counts twice. */
export const sizesAreTrue = audienceLaw("sizes of audiences are as their members are", function* (story) {
  const { drainedAtMs, endedAtMs, profiles } = story;
  const changedAtMs = Math.max(0, ...profiles.map(({ atMs }) => atMs));
  if (drainedAtMs === undefined || changedAtMs + WRITTEN_WITHIN_MS > endedAtMs) return;
  const [counted, members] = [countedOf(story), membersOf(story)];
  const changes = isPlain(story) ? changesOf(story) : undefined;
  for (const [id, { newest }] of versionsOf(story)) {
    if (newest.kind === "trait" || newest.deletedAtMs !== null) continue;
    let entered = 0;
    for (let partition = 0; partition < story.plan.partitions; partition += 1) {
      const place = `${id}-${partition}`;
      const row = counted.get(place) ?? { entered: 0, left: 0, members: 0 };
      const there = members.get(place) ?? 0;
      entered += row.entered;
      if (row.members !== there) yield `${place} has ${there} members, its rows say ${row.members}`;
      if (row.entered - row.left !== row.members)
        yield `${place}: ${row.entered} entered and ${row.left} left, and ${row.members} are in`;
    }
    const sent = changes?.filter(({ audience, value }) => audience.id === id && value === true).length;
    if (sent !== undefined && sent !== entered) yield `${id}: ${entered} entered, ${sent} were sent so`;
  }
});
