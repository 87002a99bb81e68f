import { type Profile, ProfileReader, ProfileWriter, profileFromRecord } from "#audiences";
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
  "appliedOffset" | "version" | "nextDeadlineMs" | "judgedAtMs" | "redirectTo" | "outbox" | "outboxOffset"
>;

interface Dues {
  readonly nextDeadlineMs: number;
  readonly judgedAtMs: number;
  readonly outbox: readonly unknown[];
  /** Of an event that is not settled before the outbox is sent: until then it comes again. */
  readonly isSentWithEvent: boolean;
  readonly isRedirected: boolean;
}

/**
 * What is not sent yet, or not given to the surviving profile, is due at once: after a restore it is found so. Not what is sent with an
 * event: that one comes again, and finds it.
 */
function dueMsOf({ isRedirected, isSentWithEvent, judgedAtMs, nextDeadlineMs, outbox }: Dues): number {
  const isUnfinished = (outbox.length > 0 && !isSentWithEvent) || (isRedirected && judgedAtMs > 0);
  return isUnfinished ? 0 : nextDeadlineMs;
}

function factsOf(state: Described): EntryFacts {
  const { appliedOffset, judgedAtMs, outbox, outboxOffset, redirectTo, version } = state;
  const dueMs = dueMsOf({
    judgedAtMs,
    outbox,
    nextDeadlineMs: state.nextDeadlineMs ?? Number.POSITIVE_INFINITY,
    isSentWithEvent: outboxOffset !== null,
    isRedirected: redirectTo !== null,
  });
  return { appliedOffset, version, dueMs };
}

function entryOf(profile: Profile, value: Buffer): StoreEntry {
  const { appliedOffset, id, judgedAtMs, nextDeadlineMs, outbox, outboxOffset, redirectTo, version } =
    profile;
  const dueMs = dueMsOf({
    judgedAtMs,
    outbox,
    nextDeadlineMs,
    isSentWithEvent: outboxOffset !== undefined,
    isRedirected: redirectTo !== undefined,
  });
  return { key: id, value, appliedOffset, version, dueMs };
}

/** Records of this version's schema are written and read at once, those of another version by the serde. */
export function createCodec(
  serde: Pick<Serde, "header" | "decode" | "decodeFields">,
  { profiles }: Pick<TopicMap, "profiles">,
): ProfileCodec {
  const writer = new ProfileWriter();
  const reader = new ProfileReader();
  let header: Buffer | undefined;
  // Known once the serde has started.
  const headerOf = (): Buffer => {
    header ??= serde.header(profiles);
    return header;
  };
  const described = serde.decodeFields(profiles, [
    "appliedOffset",
    "version",
    "nextDeadlineMs",
    "judgedAtMs",
    "redirectTo",
    "outbox",
    "outboxOffset",
  ]);
  return {
    entryOf: (profile) => entryOf(profile, writer.write(headerOf(), profile)),
    read(id, value) {
      const own = headerOf();
      if (own.compare(value, 0, own.length) === 0) return reader.read(id, value, own.length);
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
