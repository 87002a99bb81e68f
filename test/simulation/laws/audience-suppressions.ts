// Laws of audiences: nothing is said of a suppressed user.
import { isSilenced } from "#audiences";
import { SPACE_SOURCE } from "#contract";
import { EPOCH_MS } from "#testing/host";
import type { ProfileEventRecord } from "#topics";
import { changesOf, newestProfiles } from "./audience-changes.ts";
import { skewOf } from "./audience-skew.ts";
import { audienceLaw } from "./audiences.ts";
import type { Story } from "./story.ts";

/** Where a user is suppressed, after some events of the user's log. */
export class Suppressions {
  readonly #open = new Set<string | null>();

  /** True when it changes something. */
  read({ isSuppressed, suppressedIn }: ProfileEventRecord): boolean {
    const before = this.#open.size;
    if (isSuppressed === true) this.#open.add(suppressedIn);
    else this.#open.delete(suppressedIn);
    return this.#open.size !== before;
  }

  /** Audiences say nothing of the user. */
  get isSilent(): boolean {
    return this.#open.has(null) || this.#open.has(SPACE_SOURCE);
  }

  /** Whether the call or the row of an import does not count. A deletion always does. */
  isOfNoAccount({ call, kind }: Pick<ProfileEventRecord, "call" | "kind">): boolean {
    if (kind === "delete" || kind === "suppress") return false;
    return this.isSilent || (call !== null && this.#open.has(call.sourceId));
  }
}

/** A time in which audiences say nothing of a user, milliseconds of the world. */
export interface Silence {
  /** The suppression was written. */
  readonly fromMs: number;
  /** Its end was written. */
  untilMs: number;
}

/** By user, also of one who was merged. */
export function silencesOf({ profileEvents }: Story): ReadonlyMap<string, readonly Silence[]> {
  const all = new Map<string, { suppressions: Suppressions; silences: Silence[] }>();
  for (const { atMs, record, value } of profileEvents) {
    if (value.kind !== "suppress") continue;
    const user = record.key ?? "";
    const known = all.get(user) ?? { suppressions: new Suppressions(), silences: [] };
    all.set(user, known);
    const { silences, suppressions } = known;
    const wasSilent = suppressions.isSilent;
    suppressions.read(value);
    if (suppressions.isSilent && !wasSilent)
      silences.push({ fromMs: atMs, untilMs: Number.POSITIVE_INFINITY });
    const last = silences.at(-1);
    if (!suppressions.isSilent && wasSilent && last !== undefined) last.untilMs = atMs;
  }
  return new Map(Array.from(all, ([user, { silences }]) => [user, silences]));
}

/** When the profile said first that a silence is over, milliseconds of the world: what happens before does so to a suppressed user. */
export function silentUntilMs({ profiles }: Story, user: string, { untilMs }: Silence): number {
  const known = profiles.find(
    ({ atMs, record, value }) => record.key === user && atMs > untilMs && !isSilenced(value),
  );
  return known?.atMs ?? Number.POSITIVE_INFINITY;
}

/** Of everybody who was suppressed once, or whose suppression somebody has ended: whether audiences say nothing of them in the end. */
export function silentInTheEnd(story: Story): ReadonlyMap<string, boolean> {
  return new Map(
    Array.from(silencesOf(story), ([user, silences]) => [
      user,
      silences.at(-1)?.untilMs === Number.POSITIVE_INFINITY,
    ]),
  );
}

/** Several changes of one moment follow each other by a millisecond. */
const FOLLOWING_MS = 50;

/**
 * From the moment on at which the suppression is in the log: what is judged later comes behind it, be it a call, also of a device that was linked,
 * an import, a merge, a new audience, or time. What was judged before may still be on its way. Calls that ingest took meanwhile, which the product's does
 * not, count where they come to the profile after the end.
 */
export const suppressedAreSilent = audienceLaw("of a suppressed user nothing is sent", function* (story) {
  const silences = silencesOf(story);
  if (silences.size === 0) return;
  const slackMs = skewOf(story) + FOLLOWING_MS;
  for (const { atMs, audience, user, value, writtenAtMs } of changesOf(story)) {
    const changedAtMs = atMs - EPOCH_MS;
    const isSilent = silences
      .get(user)
      ?.some(({ fromMs, untilMs }) => changedAtMs > fromMs + slackMs && writtenAtMs < untilMs);
    if (isSilent === true) yield `${user} in ${audience.key}: ${JSON.stringify(value)} at ${changedAtMs} ms`;
  }
});

/** Members, values and connection syncs leave out whom the profile says to be suppressed (decision 112). */
export const profilesKnowSuppressions = audienceLaw(
  "in the end a profile says whether its user is suppressed",
  function* (story) {
    if (story.drainedAtMs === undefined) return;
    const profiles = newestProfiles(story);
    for (const [user, isSilent] of silentInTheEnd(story)) {
      const profile = profiles.get(user)?.value;
      const says = profile !== undefined && isSilenced(profile);
      if (says !== isSilent)
        yield `${user} ${isSilent ? "is" : "is not"} suppressed, the profile says otherwise`;
    }
  },
);
