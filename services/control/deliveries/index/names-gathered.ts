// Names of events that were counted and are not in the file yet. A row of many names takes as long to write as forty calls, so it is written every ten seconds, and before it is read; a
// process that is killed takes them along, and their calls are among those of other names.
import { STEP_MS } from "./eras.ts";
import type { FlowCount } from "./flow-stages.ts";
import { addNames, cellOf, type NameCounts } from "./names-table.ts";
import type { Statements } from "./sql.ts";

const SAVE_EVERY_MS = 10_000;
/** Names of all rows: a sender that makes up names fills no memory. */
const MAX_GATHERED = 5_000;

interface Gathered {
  readonly of: FlowCount;
  /** Calls by stage and reason, then by name: a call costs one look-up for each. */
  readonly cells: Map<string, Map<string, number>>;
}

export class NamesGathered {
  readonly #rows = new Map<string, Gathered>();
  #size = 0;
  #savedAtMs = 0;
  #isSaved = false;

  /** After the transaction that counted the calls. */
  add(of: FlowCount, callsByName: ReadonlyMap<string, number>): void {
    const sum = this.#cell(of);
    const before = sum.size;
    for (const [name, calls] of callsByName) sum.set(name, (sum.get(name) ?? 0) + calls);
    this.#size += sum.size - before;
  }

  #cell(of: FlowCount): Map<string, number> {
    const key = `${of.sourceId} ${of.destinationId} ${of.minuteMs}`;
    const row = this.#rows.get(key) ?? { of, cells: new Map<string, Map<string, number>>() };
    this.#rows.set(key, row);
    const cell = cellOf(of.stage, of.reason);
    const sum = row.cells.get(cell) ?? new Map<string, number>();
    row.cells.set(cell, sum);
    return sum;
  }

  isDue(nowMs: number): boolean {
    return this.#size >= MAX_GATHERED || Math.abs(nowMs - this.#savedAtMs) >= SAVE_EVERY_MS;
  }

  /** Within a transaction. */
  save(sql: Statements, nowMs: number): void {
    for (const { cells, of } of this.#rows.values()) {
      const { destinationId, minuteMs, sourceId } = of;
      addNames(sql, { sourceId, destinationId, minuteMs, stepMs: STEP_MS.minute }, byName(cells));
    }
    this.#savedAtMs = nowMs;
    this.#isSaved = true;
  }

  /** After the transaction, which came to nothing or not. */
  ended(isCommitted: boolean): void {
    if (this.#isSaved && isCommitted) {
      this.#rows.clear();
      this.#size = 0;
    }
    this.#isSaved = false;
  }
}

function byName(cells: ReadonlyMap<string, ReadonlyMap<string, number>>): NameCounts {
  const counts = new Map<string, Record<string, number>>();
  for (const [cell, calls] of cells)
    for (const [name, count] of calls) {
      const own = counts.get(name) ?? {};
      counts.set(name, own);
      own[cell] = count;
    }
  return counts;
}
