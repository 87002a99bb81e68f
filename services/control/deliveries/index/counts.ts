// How many entries a list has, as far as it is counted: an index of millions is not gone through for a number.
import { type AttemptFilter, attemptConditions } from "./attempts-table.ts";
import { type DeadLetterFilter, deadLetterConditions } from "./dead-letters-table.ts";
import { type IssueFilter, issueConditions } from "./issues-table.ts";
import { type RefusedFilter, refusedConditions } from "./refused-calls-table.ts";
import { type CallsOfSource, callConditions, IS_SAID_AGAIN } from "./routed-calls-table.ts";
import type { Conditions, Statements } from "./sql.ts";

export type Counted =
  | { readonly kind: "attempts"; readonly filter: AttemptFilter }
  | { readonly kind: "callsOfSource"; readonly filter: CallsOfSource }
  | { readonly kind: "deadLetters"; readonly filter: DeadLetterFilter }
  | { readonly kind: "issues"; readonly filter: IssueFilter }
  | { readonly kind: "refusedCalls"; readonly filter: RefusedFilter };

function rowsOf(counted: Counted): { readonly table: string; readonly conditions: Conditions } {
  switch (counted.kind) {
    case "attempts":
      return { table: "attempts", conditions: attemptConditions(counted.filter) };
    case "callsOfSource":
      // No value: a condition that is always there.
      return {
        table: "routed_calls call",
        conditions: callConditions(counted.filter).add(`NOT ${IS_SAID_AGAIN}`),
      };
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
  const rows = `SELECT 1 FROM ${table} ${conditions.where} LIMIT ?`;
  return sql.number(`SELECT count(*) FROM (${rows})`, ...conditions.values, most);
}
