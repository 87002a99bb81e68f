// The profile from the bytes of its Avro record, as profile-writer.ts writes them.
import { parseExactJson } from "#contract";
import type { ProfileMove, ProfileSuppression } from "#topics";
import { AvroReader } from "../bytes/avro-reader.ts";
import { leafFromRecord } from "./leaf-record.ts";
import { createProfile, type Profile } from "./profile.ts";
import { hashesFromBytes } from "./recent-calls.ts";
import { seenAtOf, uncountedOf } from "./record.ts";
import { findNextDeadline } from "./settle.ts";
import { profileBytes } from "./size.ts";

const FOR_EVER = Number.POSITIVE_INFINITY;

/** Reads profiles, one at a time. */
export class ProfileReader {
  readonly #reader = new AvroReader();

  /** Of a record that begins at `at` and ends with the bytes. Throws an AvroBytesError when it does not. */
  read(id: string, bytes: Buffer, at: number): Profile {
    const reader = this.#reader;
    reader.begin(bytes, at);
    const profile = readFacts(id, reader);
    readTraits(reader, profile);
    readEvents(reader, profile);
    readLeaves(reader, profile);
    reader.each(() => profile.lists.add(reader.name()));
    reader.each(() => profile.backfilled.set(reader.name(), reader.long()));
    readResults(reader, profile);
    readOutbox(reader, profile);
    profile.outboxOffset = reader.optionalLong();
    profile.changedUntilMs = reader.long();
    profile.linkedAtMs = reader.optionalLong();
    readSuppressions(reader, profile);
    readIncomplete(reader, profile);
    profile.uncounted = uncountedOf(profile, reader.long());
    profile.seenAtMs = seenAtOf(profile, reader.long());
    profile.forgottenTo = reader.long();
    readMoves(reader, profile);
    reader.each(() => {
      const groupId = reader.name();
      profile.accounts.set(groupId, { told: [...reader.texts()], toldAtMs: reader.long() });
    });
    reader.end();
    profile.sizeBytes = profileBytes(profile);
    findNextDeadline(profile);
    return profile;
  }
}

function readLeaves(reader: AvroReader, { leaves }: Profile): void {
  reader.each(() => {
    const key = reader.name();
    const kind = reader.name();
    const isOverflowing = reader.boolean();
    const [longs, doubles, texts] = [reader.longs(), reader.doubles(), reader.texts()];
    const state = leafFromRecord({ kind, isOverflowing, longs, doubles, texts });
    if (state !== undefined) leaves.set(key, state);
  });
}

function readFacts(id: string, reader: AvroReader): Profile {
  const profile = createProfile(id, reader.long());
  profile.appliedOffset = reader.long();
  profile.version = reader.long();
  // Follows from the results.
  reader.optionalLong();
  profile.judgedAtMs = reader.long();
  // Follows from the size.
  reader.boolean();
  profile.redirectTo = reader.optionalText();
  profile.deletedAtMs = reader.optionalLong();
  profile.recentCalls = hashesFromBytes(reader.bytes());
  return profile;
}

function readTraits(reader: AvroReader, { traits }: Profile): void {
  reader.each(() => {
    const key = reader.name();
    const value = parseExactJson(reader.text());
    traits.set(key, { value, atMs: reader.long(), receivedAtMs: reader.long() });
  });
}

function readEvents(reader: AvroReader, { events }: Profile): void {
  reader.each(() => {
    const type = reader.name();
    const name = reader.name();
    const [count, firstMs, lastMs] = [reader.long(), reader.long(), reader.long()];
    events.set(`${type} ${name}`, { type, name, count, firstMs, lastMs });
  });
}

function readResults(reader: AvroReader, { results }: Profile): void {
  reader.each(() => {
    const computationId = reader.name();
    const text = reader.name();
    const [seq, sinceMs, generation] = [reader.long(), reader.long(), reader.long()];
    const deadlineMs = reader.optionalLong() ?? FOR_EVER;
    results.set(computationId, { text, seq, sinceMs, generation, deadlineMs });
  });
}

function readOutbox(reader: AvroReader, { outbox }: Profile): void {
  reader.each(() => {
    const computationId = reader.name();
    const [generation, seq] = [reader.long(), reader.long()];
    const [text, atMs, traits] = [reader.text(), reader.long(), reader.text()];
    const [isTracked, toAccount] = [reader.boolean(), reader.text()];
    const flip = { computationId, generation, seq, text, atMs, traits, isTracked };
    outbox.push(toAccount === "" ? flip : { ...flip, toAccount });
  });
}

function readIncomplete(reader: AvroReader, profile: Profile): void {
  const ids: string[] = [];
  reader.each(() => ids.push(reader.name()));
  if (ids.length > 0) profile.incompleteFor = new Set(ids);
  profile.incompleteBefore = profile.incompleteFor;
}

function readMoves(reader: AvroReader, profile: Profile): void {
  const moves: ProfileMove[] = [];
  reader.each(() => {
    const computationId = reader.name();
    const [by, batch, hour] = [reader.long(), reader.long(), reader.long()];
    const [entered, left, members] = [reader.long(), reader.long(), reader.long()];
    moves.push({ computationId, by, batch, hour, entered, left, members });
  });
  if (moves.length > 0) profile.moves = moves;
}

function readSuppressions(reader: AvroReader, profile: Profile): void {
  const suppressions: ProfileSuppression[] = [];
  reader.each(() => {
    const sourceId = reader.optionalText() ?? null;
    suppressions.push({ sourceId, fromOffset: reader.long(), toOffset: reader.optionalLong() ?? null });
  });
  if (suppressions.length > 0) profile.suppressions = suppressions;
}
