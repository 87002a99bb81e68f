// The plan of a restore for each entry of a backup, by what its topic holds now.
import { recordFromJson, recordToJson } from "#serde";
import type { ConfigurationRecord, RecordTypes } from "#topics";
import { BackupError, type Entry } from "./file.ts";

type Value = RecordTypes[ConfigurationRecord];

/** Throws a BackupError. */
export function valueIn({ record, key, value }: Entry): Value {
  try {
    return recordFromJson(record, value);
  } catch (error) {
    throw new BackupError(
      `${record} ${key}: ${(error as Error).message}; was it written by a later version?`,
    );
  }
}

/** `deleted`: its end is still in the log. `broken`: the topic's record cannot be read. */
export type Verdict = "created" | "replaced" | "same" | "newer" | "deleted" | "differing" | "broken";

/** The verdicts that are written. */
export const WRITTEN: ReadonlySet<Verdict> = new Set(["created", "replaced", "broken"]);

/** `current` is the topic's last record of the key: null for its end, undefined where there is none. */
export function verdictOf(backup: Value, current: Value | Error | null | undefined): Verdict {
  if (current === undefined) return "created";
  if (current === null) return "deleted";
  if (current instanceof Error) return "broken";
  if (recordToJson(current) === recordToJson(backup)) return "same";
  const [now, then] = [newnessOf(current), newnessOf(backup)];
  if (now > then) return "newer";
  return now < then ? "replaced" : "differing";
}

/** Grows with each change of one thing. */
function newnessOf(value: Value): number {
  if ("version" in value) return value.version;
  return "updatedAtMs" in value ? value.updatedAtMs : value.atMs;
}
