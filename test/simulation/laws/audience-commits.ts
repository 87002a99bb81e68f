// A law of audiences: no commit of the processor is ahead of its changelog.
import { Suppressions } from "./audience-suppressions.ts";
import { audienceLaw } from "./audiences.ts";
import { passedBy } from "./passed.ts";
import type { Story, Written } from "./story.ts";

/** The processor's own commits, of the records that it has to have worked off. */
function* passed({ happenings, profileEvents, profiles }: Story): Generator<string> {
  const events = new Map(profileEvents.map((event) => [placeOf(event), event]));
  const versions = new Map(profiles.map((profile) => [profile.place, profile]));
  const applied = new Map<string, number>();
  const committed = new Map<number, number>();
  const firsts = firstEvents(profileEvents);
  for (const [place, happening] of happenings.entries()) {
    const version = versions.get(place);
    if (version !== undefined) {
      const key = version.record.key ?? "";
      applied.set(key, Math.max(applied.get(key) ?? -1, version.value.appliedOffset));
    }
    if (happening.kind !== "committed" || happening.partition.topic !== "profile-events") continue;
    const { offset: end, partition } = happening;
    for (const offset of passedBy(happening, committed.get(partition.partition) ?? 0)) {
      const event = events.get(`${partition.partition} ${offset}`);
      if (event !== undefined && firsts.has(event) && (applied.get(event.record.key ?? "") ?? -1) < offset)
        yield `${happening.process} commits ${end} of profile-events-${partition.partition} at ${happening.atMs} ms, past ${offset}`;
    }
    committed.set(partition.partition, Math.max(committed.get(partition.partition) ?? 0, end));
  }
}

const placeOf = ({ record }: Written<unknown>): string => `${record.partition} ${record.offset}`;

/**
 * What changes its profile for certain: rows of imports, deletions, suppressions that begin or end, and calls, but for copies, for what comes after a deletion
 * (it may be older than that), for what does not count as the user is suppressed, and for whatever is of somebody who was merged or into whom somebody was.
 */
function firstEvents(events: Story["profileEvents"]): ReadonlySet<Story["profileEvents"][number]> {
  const linked = events.filter(({ value }) => ["merge", "release"].includes(value.kind) || value.hops > 0);
  const merged = new Set(linked.map(({ record }) => record.key));
  const known = new Set<string>();
  const deleted = new Set<string | null>();
  const suppressed = new Map<string | null, Suppressions>();
  const changes = ({ record, value }: Story["profileEvents"][number]): boolean => {
    const suppressions = suppressed.get(record.key) ?? new Suppressions();
    suppressed.set(record.key, suppressions);
    return value.kind === "suppress" ? suppressions.read(value) : !suppressions.isOfNoAccount(value);
  };
  return new Set(
    events.filter((event) => {
      const { record, value } = event;
      if (!changes(event)) return false;
      const id = `${record.key} ${value.call?.messageId ?? `${record.partition} ${record.offset}`}`;
      const isFirst = !merged.has(record.key) && !deleted.has(record.key) && !known.has(id);
      known.add(id);
      if (value.kind === "delete") deleted.add(record.key);
      return isFirst;
    }),
  );
}

/** What a commit passes is in the changelog: whoever restores the profile has it. */
export const noCommitPassesEvent = audienceLaw(
  "no commit passes an event that is not in its profile",
  passed,
);
