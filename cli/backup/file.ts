// A backup as lines of JSON: a head, an entry for each record, an end with the counts and the checksum of all before it.
import { createHash, type Hash } from "node:crypto";
import type { ConfigurationRecord } from "#topics";

/** The format of files that this version writes, and the latest that it reads. */
export const FORMAT = 1;

export interface Entry {
  readonly record: ConfigurationRecord;
  readonly key: string;
  readonly value: unknown;
}

/** The number of entries of each record. */
export type Counts = Readonly<Partial<Record<ConfigurationRecord, number>>>;

interface Head {
  readonly hooklineBackup: number;
  /** The version of Hookline that wrote it. */
  readonly version: string;
  readonly createdAt: string;
}

interface End {
  readonly records: Counts;
  readonly sha256: string;
}

/** The file is not what it says, or not for this version. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

export interface BackupWriter {
  head(version: string, createdAtMs: number): string;
  /** `json` is the value's. */
  entry(record: ConfigurationRecord, key: string, json: string): string;
  end(): string;
}

/** Makes the lines of one file, in the order in which they are asked for. */
export function backupWriter(): BackupWriter {
  const hash = createHash("sha256");
  const records: Partial<Record<ConfigurationRecord, number>> = {};
  const hashed = (line: string): string => {
    hash.update(line);
    return line;
  };
  return {
    head(version, createdAtMs) {
      const head: Head = { hooklineBackup: FORMAT, version, createdAt: new Date(createdAtMs).toISOString() };
      return hashed(`${JSON.stringify(head)}\n`);
    },
    entry(record, key, json) {
      records[record] = (records[record] ?? 0) + 1;
      return hashed(`{"record":${JSON.stringify(record)},"key":${JSON.stringify(key)},"value":${json}}\n`);
    },
    end: () => `${JSON.stringify({ records, sha256: hash.digest("hex") } satisfies End)}\n`,
  };
}

/** The entries of a file that comes in pieces, all of it checked. Throws a BackupError. */
export async function readBackup(pieces: AsyncIterable<string>): Promise<readonly Entry[]> {
  const hash = createHash("sha256");
  const entries: Entry[] = [];
  let line = 0;
  let end: End | undefined;
  for await (const text of linesOf(pieces)) {
    line += 1;
    if (end !== undefined) throw new BackupError("something follows the backup's last line");
    const parsed = parse(text, line);
    if (line === 1) checkHead(parsed as Partial<Head>);
    else if ("sha256" in parsed) end = parsed as unknown as End;
    else entries.push(parsed as unknown as Entry);
    if (end === undefined) hash.update(`${text}\n`);
  }
  if (line === 0) throw new BackupError("the file is empty");
  checkEnd(end, hash);
  return entries;
}

/** Texts of JSON may have other characters that end lines for readline, as U+2028. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = `${rest}${piece}`.split(/\r?\n/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function parse(text: string, line: number): object {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return parsed;
  } catch {
    // Said below.
  }
  throw new BackupError(`line ${line} is no JSON object: the file is no backup, or damaged`);
}

function checkHead({ hooklineBackup, version }: Partial<Head>): void {
  if (typeof hooklineBackup !== "number") throw new BackupError("the file is no backup of Hookline");
  if (hooklineBackup > FORMAT)
    throw new BackupError(
      `the backup has format ${hooklineBackup}, of Hookline ${version}; this version reads up to ${FORMAT}: restore it with that version`,
    );
}

function checkEnd(end: End | undefined, hash: Hash): void {
  if (end === undefined) throw new BackupError("the backup ends too early: its last line is missing");
  if (end.sha256 !== hash.digest("hex"))
    throw new BackupError("the backup was changed since it was written: its checksum does not fit");
}
