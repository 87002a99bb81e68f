import { type Profile, profileFromRecord, profileToRecord } from "#audiences";
import type { Serde } from "#serde";
import type { EntryFacts, StoreEntry } from "#state";
import type { ProfileState, TopicMap } from "#topics";

/** Profiles as entries of a store, and back. */
export interface ProfileCodec {
  /** The entry holds nothing of the profile itself, which may change at once. */
  entryOf(profile: Profile): StoreEntry;
  /** A promise while the writer's schema is not known yet. */
  read(id: string, value: Buffer): Profile | Promise<Profile>;
  describe(value: Buffer): EntryFacts | Promise<EntryFacts>;
}

type Described = Pick<
  ProfileState,
  "appliedOffset" | "version" | "nextDeadlineMs" | "judgedAtMs" | "redirectTo" | "outbox"
>;

/** What is not sent yet, or not given to the surviving profile, is due at once: after a restore it is found so. */
function factsOf(state: Described): EntryFacts {
  const { appliedOffset, judgedAtMs, nextDeadlineMs, outbox, redirectTo, version } = state;
  const isUnfinished = outbox.length > 0 || (redirectTo !== null && judgedAtMs > 0);
  return { appliedOffset, version, dueMs: isUnfinished ? 0 : (nextDeadlineMs ?? Number.POSITIVE_INFINITY) };
}

export function createCodec(
  serde: Pick<Serde, "encode" | "decode" | "decodeFields">,
  { profiles }: Pick<TopicMap, "profiles">,
): ProfileCodec {
  const described = serde.decodeFields(profiles, [
    "appliedOffset",
    "version",
    "nextDeadlineMs",
    "judgedAtMs",
    "redirectTo",
    "outbox",
  ]);
  return {
    entryOf(profile) {
      const state = profileToRecord(profile);
      return { key: profile.id, value: serde.encode(profiles, state), ...factsOf(state) };
    },
    read(id, value) {
      const state = serde.decode(profiles, value);
      return "then" in state
        ? state.then((known) => profileFromRecord(id, known))
        : profileFromRecord(id, state);
    },
    describe(value) {
      const state = described(value);
      return "then" in state ? state.then(factsOf) : factsOf(state);
    },
  };
}
