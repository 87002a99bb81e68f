// The little that the tables' queries have in common.
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { CallUser } from "#contract";
import type { CountedTable } from "./schema.ts";

export type Row = Record<string, unknown>;

export function textOrNull(row: Row, name: string): string | null {
  const value = row[name];
  return typeof value === "string" ? value : null;
}

export function userOf(row: Row): CallUser {
  return { userId: textOrNull(row, "user_id"), anonymousId: textOrNull(row, "anonymous_id") };
}

/** Statements by their text, each prepared once. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  /** How many rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.get(sql).run(...values).changes);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.get(sql).all(...values);
  }

  /** Of a counted table (schema.ts), whatever it holds at the same price. */
  rowsIn(table: CountedTable): number {
    return this.number("SELECT rows FROM row_counts WHERE name = ?", table);
  }

  /** The only number of the only row; 0 without one. */
  number(sql: string, ...values: SQLInputValue[]): number {
    const [row] = this.all(sql, ...values);
    return row === undefined ? 0 : Number(Object.values(row)[0] ?? 0);
  }
}

/** Collects conditions whose values are given, in the order of their placeholders. */
export class Conditions {
  readonly #texts: string[] = [];
  readonly values: SQLInputValue[] = [];

  /** Nothing for a value that was not given. */
  add(text: string, ...values: (SQLInputValue | undefined)[]): this {
    if (values.includes(undefined)) return this;
    this.#texts.push(text);
    this.values.push(...values.filter((value) => value !== undefined));
    return this;
  }

  /** Entries whose user nobody has noted are of every user: versions before noted none. */
  addUser(user: CallUser | undefined): this {
    if (user === undefined) return this;
    const { anonymousId, userId } = user;
    return userId === null
      ? this.add("(user_id IS NULL AND (anonymous_id = ? OR anonymous_id IS NULL))", anonymousId)
      : this.add("(user_id = ? OR (user_id IS NULL AND anonymous_id IS NULL))", userId);
  }

  get where(): string {
    return this.#texts.length === 0 ? "" : `WHERE ${this.#texts.join(" AND ")}`;
  }
}

/** Where a page of a list that is sorted by time and place, newest first, goes on: behind this entry. */
interface Behind {
  readonly atMs: number;
  readonly place: number;
}

export interface Page {
  readonly limit: number;
  readonly behind?: Behind | undefined;
}
