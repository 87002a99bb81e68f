// How many entries a list has, as far as it is counted: an index of millions is not gone through for a number.
import { type AttemptFilter, attemptConditions } from "./attempts-table.ts";
import { type DeadLetterFilter, deadLetterConditions } from "./dead-letters-table.ts";
import { type IssueFilter, issueConditions } from "./issues-table.ts";
import { type RefusedFilter, refusedConditions } from "./refused-calls-table.ts";
import { type CallsOfSource, callConditions, IS_SAID_AGAIN } from "./routed-calls-table.ts";
import type { Conditions, Statements } from "./sql.ts";

export type Counted =
  | { readonly kind: "attempts"; readonly filter: AttemptFilter }
  | { readonly kind: "deadLetters"; readonly filter: DeadLetterFilter }
  | { readonly kind: "issues"; readonly filter: IssueFilter }
  | { readonly kind: "refusedCalls"; readonly filter: RefusedFilter };

function rowsOf(counted: Counted): { readonly table: string; readonly conditions: Conditions } {
  switch (counted.kind) {
    case "attempts":
      return { table: "attempts", conditions: attemptConditions(counted.filter) };
    case "deadLetters":
      return { table: "dead_letters", conditions: deadLetterConditions(counted.filter) };
    case "issues":
      return { table: "issues", conditions: issueConditions(counted.filter) };
    case "refusedCalls":
      return { table: "refused_calls", conditions: refusedConditions(counted.filter) };
  }
}

/** At most `most`. */
export function countUpTo(sql: Statements, counted: Counted, most: number): number {
  const { conditions, table } = rowsOf(counted);
  return countRows(sql, `${table} ${conditions.where}`, conditions.values, most);
}

/** As `countUpTo`. */
export function countCallsOfSource(sql: Statements, filter: CallsOfSource, most: number): number {
  // No value: a condition that is always there.
  const { values, where } = callConditions(filter).add(`NOT ${IS_SAID_AGAIN}`);
  return countRows(sql, `routed_calls call ${where}`, values, most);
}

function countRows(sql: Statements, rows: string, values: Conditions["values"], most: number): number {
  return sql.number(`SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ?)`, ...values, most);
}
