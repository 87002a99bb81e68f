// Brings records of a backup back, beside a control that may be running. Sources, destinations and audiences
// are written as control edits them, by a writer that holds the partition: it sees what others have written
// before, and one that wrote meanwhile decides again. Suppressions and regulations are written by a plain
// producer, as control writes them: each record of a restore carries a mark, and a record that somebody else
// wrote to its key between the look and the write is written once more behind it. Marks in every partition,
// from before the first record of a topic to after its last, say that it is half restored, so that no
// starting process believes it meanwhile. A restore that dies is run again: it finds its own records
// unchanged, and ends the marks of the one before.
import type { KafkaAndSerde } from "#connection";
import { markRecords, type OutgoingRecord, type RawRecord, restoreMarks } from "#kafka";
import { PoisonRecordError } from "#serde";
import type { ConfigurationRecord, ConfigurationTopic, RecordTypes } from "#topics";
import { openEditedTopic } from "./edited-topic.ts";
import type { Entry } from "./file.ts";
import { type Verdict, valueIn, verdictOf, WRITTEN } from "./plan.ts";
import { readTopic, type TopicState } from "./topic-state.ts";

const MARK = "hookline-restore";
const RECORDS_AT_A_TIME = 1_000;

export interface RestoreOptions {
  readonly connection: KafkaAndSerde;
  readonly topics: readonly ConfigurationTopic[];
  readonly entries: readonly Entry[];
  /** Says what would be done, and writes nothing. */
  readonly isDryRun: boolean;
  /** The mark of this restore. */
  readonly mark: string;
  readonly onProgress: (line: string) => void;
}

export interface RestoredEntry {
  readonly record: ConfigurationRecord;
  readonly key: string;
  readonly verdict: Verdict;
}

/** Restores entries, and returns what was, or would be, done with each, in the file's order by topic. */
export async function restore(options: RestoreOptions): Promise<readonly RestoredEntry[]> {
  const { connection, topics, entries, onProgress } = options;
  const done: RestoredEntry[] = [];
  // All of them, before anything is written: a restore that is refused has not begun.
  for (const entry of entries) valueIn(entry);
  await connection.serde.start();
  for (const configuration of topics) {
    const { topic } = configuration;
    const own = entries.filter(({ record }) => record === topic.record);
    const restored = await restoreTopic(options, configuration, own);
    const written = restored.filter(({ verdict }) => WRITTEN.has(verdict)).length;
    onProgress(
      `${topic.name}: ${own.length} in the backup, ${written} ${options.isDryRun ? "to write" : "written"}`,
    );
    done.push(...restored);
  }
  return done;
}

type ConfiguredTopic = ConfigurationTopic["topic"];

async function restoreTopic(
  options: RestoreOptions,
  { topic, isEdited }: ConfigurationTopic,
  entries: readonly Entry[],
): Promise<readonly RestoredEntry[]> {
  const { kafka, serde } = options.connection;
  if (options.isDryRun)
    return (await planned(serde, topic, entries, await readTopic(kafka, topic.name))).done;
  const partitions = await kafka.admin().partitionCount(topic.name);
  await send(options, markRecords(topic.name, restoreMarks(options.mark, partitions), "begun"));
  try {
    // Read behind our own marks: every restore that is open by then is ended with this one.
    const before = await readTopic(kafka, topic.name);
    const restored = isEdited
      ? await restoreEdited(options, topic, entries)
      : await restoreProduced(options, { topic, entries, before });
    const marks = new Set(before.openRestores.map(({ key }) => key));
    await send(options, markRecords(topic.name, [...marks], "ended"));
    return restored;
  } catch (error) {
    options.onProgress(`${topic.name} is half restored: who starts waits until a restore has been run again`);
    throw error;
  }
}

/** Plans what is to be done with each entry, and the records that do it. */
async function planned(
  serde: KafkaAndSerde["serde"],
  topic: ConfiguredTopic,
  entries: readonly Entry[],
  before: TopicState,
): Promise<{ readonly done: readonly RestoredEntry[]; readonly records: readonly OutgoingRecord[] }> {
  const done: RestoredEntry[] = [];
  const records: OutgoingRecord[] = [];
  for (const entry of entries) {
    const { record, key } = entry;
    const restored = valueIn(entry);
    const verdict = verdictOf(restored, await currentOf(serde, topic, before.records.get(key)?.value));
    done.push({ record, key, verdict });
    if (WRITTEN.has(verdict))
      records.push({ topic: topic.name, key, value: serde.encode(topic, restored as never) });
  }
  return { done, records };
}

interface Produced {
  readonly topic: ConfiguredTopic;
  readonly entries: readonly Entry[];
  readonly before: TopicState;
}

async function restoreProduced(
  options: RestoreOptions,
  { topic, entries, before }: Produced,
): Promise<readonly RestoredEntry[]> {
  const headers = new Map([[MARK, options.mark]]);
  const { done, records } = await planned(options.connection.serde, topic, entries, before);
  await send(
    options,
    records.map((record) => ({ ...record, headers })),
  );
  await send(options, await overwritten(options, topic, before));
  return done;
}

async function restoreEdited(
  { connection: { kafka, serde } }: RestoreOptions,
  topic: ConfiguredTopic,
  entries: readonly Entry[],
): Promise<readonly RestoredEntry[]> {
  const held = await openEditedTopic(kafka, topic.name);
  const done: RestoredEntry[] = [];
  try {
    for (const entry of entries) {
      const { record, key } = entry;
      const restored = valueIn(entry);
      const verdict = await held.change(key, async (current, only) => {
        const found = verdictOf(restored, await currentOf(serde, topic, current));
        if (WRITTEN.has(found)) await only.send({ key, value: serde.encode(topic, restored as never) });
        return found;
      });
      done.push({ record, key, verdict });
    }
  } finally {
    await held.close();
  }
  return done;
}

async function currentOf(
  serde: KafkaAndSerde["serde"],
  topic: ConfiguredTopic,
  value: RawRecord["value"] | undefined,
): Promise<RecordTypes[ConfigurationRecord] | Error | null | undefined> {
  if (value === undefined || value === null) return value;
  try {
    return await serde.decode(topic, value);
  } catch (error) {
    if (error instanceof PoisonRecordError) return error;
    throw error;
  }
}

/** Records of others that came after the look at the topic and before ours of the same key. */
async function overwritten(
  { connection, mark }: RestoreOptions,
  { name }: ConfiguredTopic,
  before: TopicState,
): Promise<OutgoingRecord[]> {
  const others = new Map<string, RawRecord>();
  const late = new Map<string, RawRecord>();
  await readTopic(connection.kafka, name, (record) => {
    const { headers, key, offset, partition } = record;
    if (key === null || offset < (before.ends[partition] ?? 0)) return;
    const isOurs = headers?.get(MARK) === mark;
    const other = others.get(key);
    if (!isOurs) others.set(key, record);
    if (isOurs && other !== undefined) late.set(key, other);
    else late.delete(key);
  });
  return [...late.values()].map(({ headers, key, topic, value }) => ({ topic, key, value, headers }));
}

async function send({ connection }: RestoreOptions, records: readonly OutgoingRecord[]): Promise<void> {
  if (records.length === 0) return;
  const producer = connection.kafka.producer();
  try {
    for (let from = 0; from < records.length; from += RECORDS_AT_A_TIME)
      await producer.send(records.slice(from, from + RECORDS_AT_A_TIME));
  } finally {
    await producer.close();
  }
}
