import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import type { KafkaAndSerde } from "#connection";
import { halfRestored, SeenLog } from "#kafka";
import { PoisonRecordError, recordToJson } from "#serde";
import type { ConfigurationTopic } from "#topics";
import { type BackupWriter, backupWriter, type Counts } from "./file.ts";
import { readTopic } from "./topic-state.ts";

/** It has what only the owner of the deployment may read: encrypted secrets, URLs, user ids. */
const OWNER_ONLY = 0o600;

export interface BackupOptions {
  readonly connection: KafkaAndSerde;
  readonly topics: readonly ConfigurationTopic[];
  /** Replaced when it is there, once the new one is whole; `-`: the backup goes to `write`. */
  readonly path: string;
  readonly write: (text: string) => Promise<void>;
  readonly version: string;
  readonly nowMs: number;
  /** A line for people. */
  readonly onProgress: (line: string) => void;
}

export interface BackedUp {
  readonly records: Counts;
  /** Keys of records that nobody can read any more: they are not in the file. */
  readonly unreadable: readonly string[];
}

/** Writes what the topics hold to one file. Rejects with a KafkaError for a topic that has lost its records or is half restored, and leaves the file as it was. */
export async function backUp(options: BackupOptions): Promise<BackedUp> {
  const { path } = options;
  const unlessLost = lossWatch(options);
  await unlessLost();
  if (path === "-") return await write(options, { write: options.write, unlessLost });
  // A backup that was killed has left its own, and in a container every process has the same id.
  const unfinished = `${path}.${randomUUID()}.unfinished`;
  const file = await open(unfinished, "wx", OWNER_ONLY);
  try {
    // Each line whole: `write` takes as much as the disk has room for, and does not reject.
    const done = await write(options, { write: (text) => file.appendFile(text), unlessLost });
    await file.sync();
    await file.close();
    await rename(unfinished, path);
    return done;
  } catch (error) {
    await file.close();
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** A look at all topics, which remembers how it found them before. */
function lossWatch({ connection, topics }: BackupOptions): () => Promise<void> {
  const admin = connection.kafka.admin();
  const watched = topics.map(({ topic, witnesses }) => {
    return { topic: topic.name, witnesses: witnesses.map(({ name }) => name), memory: new SeenLog() };
  });
  return async () => {
    for (const each of watched) await admin.holdsRecords(each);
  };
}

interface Output {
  readonly write: (text: string) => Promise<unknown>;
  readonly unlessLost: () => Promise<void>;
}

async function write(options: BackupOptions, { write, unlessLost }: Output): Promise<BackedUp> {
  const writer = backupWriter();
  const records: Record<string, number> = {};
  const unreadable: string[] = [];
  await write(writer.head(options.version, options.nowMs));
  for (const { topic } of options.topics) {
    const written = await writeTopic(options, { write, writer, topic });
    records[topic.record] = written.count;
    unreadable.push(...written.unreadable);
    options.onProgress(`${topic.name}: ${written.count} records`);
  }
  // Records lost during the reading would be missing in a backup that takes the place of a whole one.
  await unlessLost();
  await write(writer.end());
  return { records, unreadable };
}

interface Writing extends Pick<Output, "write"> {
  readonly writer: BackupWriter;
  readonly topic: ConfigurationTopic["topic"];
}

async function writeTopic({ connection }: BackupOptions, { write, writer, topic }: Writing) {
  const { kafka, serde } = connection;
  const unreadable: string[] = [];
  let count = 0;
  const { records, openRestores } = await readTopic(kafka, topic.name);
  const [open] = openRestores;
  if (open !== undefined) throw halfRestored(topic.name, open.begunAtMs);
  for (const [key, { value }] of records) {
    if (value === null) continue;
    const decoded = await Promise.resolve()
      .then(() => serde.decode(topic, value))
      .catch(unlessPoison);
    if (decoded === undefined) unreadable.push(key);
    else {
      await write(writer.entry(topic.record, key, recordToJson(decoded)));
      count += 1;
    }
  }
  return { count, unreadable };
}

/** One record that can never be read is no reason to have no backup. */
function unlessPoison(error: unknown): undefined {
  if (error instanceof PoisonRecordError) return undefined;
  throw error;
}
