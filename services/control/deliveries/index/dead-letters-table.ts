import { type CallUser, userIn } from "#contract";
import type { DeadLetter } from "#topics";
import { placeOf, type Spot } from "../../records/places/places.ts";
import { Conditions, type Page, type Row, type Statements, userOf } from "./sql.ts";

export interface DeadLetterFilter {
  readonly destinationId?: string | undefined;
  readonly reason?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Those that a replay's calls became again. */
  readonly replayId?: string | undefined;
  readonly replayable?: boolean | undefined;
  readonly messageId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly user?: CallUser | undefined;
  readonly issueId?: string | undefined;
  /** End of every partition, by its number: what stands behind it is not meant. */
  readonly ends?: readonly number[] | undefined;
}

/** A dead letter as it is listed; its body and outcomes are in the topic, at its place. */
export interface ListedDeadLetter {
  readonly place: number;
  readonly id: string;
  readonly deadAtMs: number;
  readonly reason: string;
  readonly message: string;
  readonly destinationId: string | null;
  readonly sourceId: string | null;
  readonly messageId: string | null;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly type: string | null;
  readonly receivedAtMs: number | null;
  readonly attempts: number;
  readonly replayId: string | null;
  /** Whether it is a call: a record that could not be read is none. */
  readonly replayable: boolean;
  /** Of each webhook that failed. */
  readonly issueIds: readonly string[];
}

const COLUMNS =
  "place, id, dead_at_ms, reason, message, destination_id, source_id, message_id, user_id, anonymous_id, type, received_at_ms, attempts, replay_id, replayable, issue_ids";

/** A call can be made again from what it consists of; one that is missing was never read. */
function isReplayable(letter: DeadLetter): boolean {
  const { destinationId, sourceId, messageId, type, receivedAtMs } = letter;
  return [destinationId, sourceId, messageId, type, receivedAtMs].every((part) => part !== null);
}

/** `statuses`: of the issues that it is part of, by their ids. True when it was not there yet. A crash of the deliverer can write one twice, under one id: the first stays. In versions before several users' letters had one id. */
export function insertDeadLetter(
  sql: Statements,
  record: DeadLetter,
  { statuses, ...spot }: Spot & { readonly statuses: Readonly<Record<string, number | null>> },
): boolean {
  const { userId, anonymousId } = userIn(record);
  const inserted = sql.run(
    `INSERT OR IGNORE INTO dead_letters (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    placeOf(spot),
    record.id,
    record.deadAtMs,
    record.reason,
    record.message,
    record.destinationId,
    record.sourceId,
    record.messageId,
    userId,
    anonymousId,
    record.type,
    record.receivedAtMs,
    record.attempts,
    record.replayId,
    isReplayable(record) ? 1 : 0,
    JSON.stringify(statuses),
  );
  return inserted > 0;
}

export function deadLetterConditions(filter: DeadLetterFilter): Conditions {
  const ends = filter.ends ?? [];
  const within = ends.map(() => "(place >= ? AND place < ?)").join(" OR ");
  const bounds = ends.flatMap((offset, partition) => [
    placeOf({ partition, offset: 0 }),
    placeOf({ partition, offset }),
  ]);
  const conditions = ends.length === 0 ? new Conditions() : new Conditions().add(`(${within})`, ...bounds);
  return conditions
    .add("destination_id = ?", filter.destinationId)
    .add("reason = ?", filter.reason)
    .add("dead_at_ms >= ?", filter.fromMs)
    .add("dead_at_ms < ?", filter.toMs)
    .add("replay_id = ?", filter.replayId)
    .add("message_id = ?", filter.messageId)
    .add("source_id = ?", filter.sourceId)
    .addUser(filter.user)
    .add("instr(issue_ids, ?) > 0", filter.issueId === undefined ? undefined : JSON.stringify(filter.issueId))
    .add("replayable = ?", filter.replayable === undefined ? undefined : Number(filter.replayable));
}

/** Newest first. */
export function listDeadLetters(
  sql: Statements,
  filter: DeadLetterFilter,
  { limit, behind }: Page,
): ListedDeadLetter[] {
  const conditions = deadLetterConditions(filter).add(
    "(dead_at_ms, place) < (?, ?)",
    behind?.atMs,
    behind?.place,
  );
  const text = `SELECT ${COLUMNS} FROM dead_letters ${conditions.where} ORDER BY dead_at_ms DESC, place DESC LIMIT ?`;
  return sql.all(text, ...conditions.values, limit).map(deadLetterOf);
}

export function findDeadLetter(sql: Statements, id: string, user?: CallUser): ListedDeadLetter | undefined {
  const conditions = new Conditions().add("id = ?", id).addUser(user);
  const text = `SELECT ${COLUMNS} FROM dead_letters ${conditions.where} ORDER BY place LIMIT 1`;
  return sql.all(text, ...conditions.values).map(deadLetterOf)[0];
}

export function countDeadLetters(sql: Statements, filter: DeadLetterFilter): number {
  const conditions = deadLetterConditions(filter);
  return sql.number(`SELECT count(*) FROM dead_letters ${conditions.where}`, ...conditions.values);
}

/** Places of calls that can be replayed, in their order, above one of them. */
export function replayablePlaces(
  sql: Statements,
  filter: DeadLetterFilter,
  { above, limit }: { readonly above: number; readonly limit: number },
): number[] {
  const conditions = deadLetterConditions({ ...filter, replayable: true }).add("place > ?", above);
  const from = filter.destinationId === undefined ? "" : "INDEXED BY dead_letters_in_order";
  const text = `SELECT place FROM dead_letters ${from} ${conditions.where} ORDER BY place LIMIT ?`;
  return sql.all(text, ...conditions.values, limit).map((row) => Number(row["place"]));
}

function deadLetterOf(row: Row): ListedDeadLetter {
  const text = (name: string): string | null => (row[name] === null ? null : String(row[name]));
  return {
    place: Number(row["place"]),
    id: String(row["id"]),
    deadAtMs: Number(row["dead_at_ms"]),
    reason: String(row["reason"]),
    message: String(row["message"]),
    destinationId: text("destination_id"),
    sourceId: text("source_id"),
    messageId: text("message_id"),
    ...userOf(row),
    type: text("type"),
    receivedAtMs: row["received_at_ms"] === null ? null : Number(row["received_at_ms"]),
    attempts: Number(row["attempts"]),
    replayId: text("replay_id"),
    replayable: row["replayable"] === 1,
    issueIds: Object.keys(JSON.parse(String(row["issue_ids"]))),
  };
}
