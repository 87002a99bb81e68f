// The profile as the bytes of its Avro record (schemas/profile.avsc), without the record in between: each call writes a whole profile, and
// mostly reads one. What stands where follows from the schema; a test holds both against what the schema's own library writes and reads.
import { AvroWriter } from "../bytes/avro-writer.ts";
import type { LeafState, Tally } from "../leaves/state.ts";
import { leafToRecord } from "./leaf-record.ts";
import { isFull, type Profile } from "./profile.ts";
import { HASH_BYTES, MAX_RECENT_CALLS } from "./recent-calls.ts";

const FOR_EVER = Number.POSITIVE_INFINITY;
/** Index, how many, first, last. */
const LONGS_OF_A_COUNT = 4;

/** Writes profiles, one at a time. */
export class ProfileWriter {
  readonly #writer = new AvroWriter();

  /** `header` stands in front. Holds nothing of the profile itself, which may change at once. */
  write(header: Uint8Array, profile: Profile): Buffer {
    const writer = this.#writer;
    writer.begin();
    writer.raw(header);
    writeFacts(writer, profile);
    writeTraits(writer, profile);
    writeEvents(writer, profile);
    writeLeaves(writer, profile);
    writer.texts([...profile.lists]);
    writeBackfilled(writer, profile);
    writeResults(writer, profile);
    writeOutbox(writer, profile);
    writer.optionalLong(profile.outboxOffset);
    writer.long(profile.changedUntilMs);
    writer.optionalLong(profile.linkedAtMs);
    writeSuppressions(writer, profile);
    writer.texts([...profile.incompleteFor]);
    writer.long(profile.uncounted);
    writer.long(profile.seenAtMs);
    writer.long(profile.forgottenTo);
    writeMoves(writer, profile);
    writeAccounts(writer, profile);
    return writer.take();
  }
}

function writeLeaves(writer: AvroWriter, { leaves }: Profile): void {
  writer.block(leaves.size);
  for (const [key, state] of leaves) {
    writer.text(key);
    writer.text(state.kind);
    if (state.kind === "times") writeTimes(writer, state.times);
    else if (state.kind === "counts") writeCounts(writer, state.tallies);
    else writeColumns(writer, key, state);
  }
  if (leaves.size > 0) writer.block(0);
}

// The two kinds that most leaves have are written at once, the others as the columns of leaf-record.ts.
function writeTimes(writer: AvroWriter, times: readonly number[]): void {
  writer.boolean(false);
  let previousMs = 0;
  if (times.length > 0) writer.block(times.length);
  for (const atMs of times) {
    writer.long(atMs - previousMs);
    previousMs = atMs;
  }
  endColumns(writer);
}

function writeCounts(writer: AvroWriter, tallies: readonly Tally[]): void {
  writer.boolean(false);
  writer.block(1 + LONGS_OF_A_COUNT * tallies.length);
  writer.long(tallies.length);
  let [before, beforeMs] = [0, 0];
  for (const { firstMs, index, lastMs, n } of tallies) {
    writer.long(index - before);
    writer.long(n);
    writer.long(firstMs - beforeMs);
    writer.long(lastMs - firstMs);
    [before, beforeMs] = [index, lastMs];
  }
  endColumns(writer);
}

/** Of longs; there are no doubles and no texts. */
function endColumns(writer: AvroWriter): void {
  writer.block(0);
  writer.block(0);
  writer.block(0);
}

function writeColumns(writer: AvroWriter, key: string, state: LeafState): void {
  const { doubles, isOverflowing, longs, texts } = leafToRecord(key, state);
  writer.boolean(isOverflowing);
  writer.longs(longs);
  writer.doubles(doubles);
  writer.texts(texts);
}

function writeFacts(writer: AvroWriter, profile: Profile): void {
  const { deletedAtMs, nextDeadlineMs, redirectTo } = profile;
  writer.long(profile.incarnation);
  writer.long(profile.appliedOffset);
  writer.long(profile.version);
  writer.optionalLong(nextDeadlineMs === FOR_EVER ? undefined : nextDeadlineMs);
  writer.long(profile.judgedAtMs);
  writer.boolean(isFull(profile));
  writer.optionalText(redirectTo);
  writer.optionalLong(deletedAtMs);
  writeHashes(writer, profile.recentCalls);
}

/** As `hashesToBytes`: an active user's profile has 256. */
function writeHashes(writer: AvroWriter, hashes: readonly number[]): void {
  const first = Math.max(0, hashes.length - MAX_RECENT_CALLS);
  writer.long((hashes.length - first) * HASH_BYTES);
  for (let place = first; place < hashes.length; place += 1) writer.uint48(hashes[place] ?? 0);
}

function writeTraits(writer: AvroWriter, { traits }: Profile): void {
  writer.block(traits.size);
  for (const [key, { atMs, receivedAtMs, value }] of traits) {
    writer.text(key);
    writer.text(JSON.stringify(value));
    writer.long(atMs);
    writer.long(receivedAtMs);
  }
  if (traits.size > 0) writer.block(0);
}

function writeEvents(writer: AvroWriter, { events }: Profile): void {
  writer.block(events.size);
  for (const { count, firstMs, lastMs, name, type } of events.values()) {
    writer.text(type);
    writer.text(name);
    writer.long(count);
    writer.long(firstMs);
    writer.long(lastMs);
  }
  if (events.size > 0) writer.block(0);
}

function writeBackfilled(writer: AvroWriter, { backfilled }: Profile): void {
  writer.block(backfilled.size);
  for (const [leafKey, toOffset] of backfilled) {
    writer.text(leafKey);
    writer.long(toOffset);
  }
  if (backfilled.size > 0) writer.block(0);
}

function writeResults(writer: AvroWriter, { results }: Profile): void {
  writer.block(results.size);
  for (const [computationId, { deadlineMs, generation, seq, sinceMs, text }] of results) {
    writer.text(computationId);
    writer.text(text);
    writer.long(seq);
    writer.long(sinceMs);
    writer.long(generation);
    writer.optionalLong(deadlineMs === FOR_EVER ? undefined : deadlineMs);
  }
  if (results.size > 0) writer.block(0);
}

function writeOutbox(writer: AvroWriter, { outbox }: Profile): void {
  writer.block(outbox.length);
  for (const { atMs, computationId, generation, isTracked, seq, text, toAccount = "", traits } of outbox) {
    writer.text(computationId);
    writer.long(generation);
    writer.long(seq);
    writer.text(text);
    writer.long(atMs);
    writer.text(traits);
    writer.boolean(isTracked);
    writer.text(toAccount);
  }
  if (outbox.length > 0) writer.block(0);
}

function writeAccounts(writer: AvroWriter, { accounts }: Profile): void {
  writer.block(accounts.size);
  for (const [groupId, { told, toldAtMs }] of accounts) {
    writer.text(groupId);
    writer.texts(told);
    writer.long(toldAtMs);
  }
  if (accounts.size > 0) writer.block(0);
}

function writeMoves(writer: AvroWriter, { moves }: Profile): void {
  writer.block(moves.length);
  for (const { batch, by, computationId, entered, hour, left, members } of moves) {
    writer.text(computationId);
    for (const number of [by, batch, hour, entered, left, members]) writer.long(number);
  }
  if (moves.length > 0) writer.block(0);
}

function writeSuppressions(writer: AvroWriter, { suppressions }: Profile): void {
  writer.block(suppressions.length);
  for (const { fromOffset, sourceId, toOffset } of suppressions) {
    writer.optionalText(sourceId ?? undefined);
    writer.long(fromOffset);
    writer.optionalLong(toOffset ?? undefined);
  }
  if (suppressions.length > 0) writer.block(0);
}
