// The index of control without Kafka: what a recorded call costs until it is a row, and until it is gone again, once the index is full.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { routedCall } from "#support/records";
import type { RoutedCall } from "#topics";
import { IndexPart } from "../../services/control/deliveries/index/index-part.ts";
import { INDEXED } from "../../services/control/deliveries/index/indexed.ts";
import type { RetentionRules } from "../../services/control/deliveries/index/retention.ts";
import type { LocalBench } from "./bench.ts";
import { cpuSeconds } from "./cpu.ts";
import { callsOf, stretchesOf, writeTo } from "./index-calls.ts";
import { sayThreads } from "./index-threads.ts";

const MEASURED = 20_000;
const KEPT_MS = 7 * 86_400_000;

interface Cost {
  /** CPU time a row. */
  readonly us: number;
  readonly longestMs: number;
}

/** Stretches of rows, the making of the calls left out. */
function costOf(from: number, rows: number, write: (calls: readonly RoutedCall[]) => void): Cost {
  let [cpu, longestMs] = [0, 0];
  for (const at of stretchesOf(from, rows)) {
    const calls = callsOf(at);
    const [before, startedAtMs] = [cpuSeconds(), performance.now()];
    write(calls);
    cpu += cpuSeconds() - before;
    longestMs = Math.max(longestMs, performance.now() - startedAtMs);
  }
  return { us: (cpu * 1e6) / rows, longestMs };
}

/** The floor: the same columns in a table without an index. */
function bareRows(folder: string): Cost {
  const database = new DatabaseSync(join(folder, "bare.sqlite"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  const columns = Object.keys(routedCall());
  database.exec(`CREATE TABLE calls (${columns.join(", ")})`);
  const insert = database.prepare(`INSERT INTO calls VALUES (${columns.map(() => "?").join(", ")})`);
  const cost = costOf(0, MEASURED, (calls) => {
    database.exec("BEGIN");
    for (const { destinationIds, passedOver, ...rest } of calls)
      insert.run(...Object.values(rest), JSON.stringify(destinationIds), JSON.stringify(passedOver));
    database.exec("COMMIT");
  });
  database.close();
  return cost;
}

function sweep(index: IndexPart, maxRows: number): Cost {
  const keptMs = Object.fromEntries(INDEXED.map((kind) => [kind, KEPT_MS])) as RetentionRules["keptMs"];
  const before = cpuSeconds();
  for (let longestMs = 0; ; ) {
    const startedAtMs = performance.now();
    const hasMore = index.deleteOld({ keptMs, maxRows });
    longestMs = Math.max(longestMs, performance.now() - startedAtMs);
    if (!hasMore) return { us: ((cpuSeconds() - before) * 1e6) / MEASURED, longestMs };
  }
}

export const indexRows: LocalBench<"rows"> = {
  name: "index",
  summary: "Control's index without Kafka: a recorded call written, and deleted again, when it is full.",
  flags: { rows: { default: 2_000_000, doc: "rows that the index may have" } },
  async runAlone({ flags: { rows }, report }) {
    const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
    const index = new IndexPart({ folder, nowMs: Date.now, onDiscarded: () => undefined });
    const write = (calls: readonly RoutedCall[]): void => writeTo(index, calls);
    const bare = bareRows(folder);
    report.figure("bare: a row in a table without an index, CPU", bare.us, { unit: "µs" });
    costOf(0, rows, write);
    const written = costOf(rows, MEASURED, write);
    const deleted = sweep(index, rows);
    for (const [what, cost] of Object.entries({ written, deleted })) {
      report.figure(`a call ${what}, index full, CPU`, cost.us, { unit: "µs" });
      report.figure(`a call ${what}, index full, against bare`, cost.us / bare.us, { unit: "x" });
      report.figure(`a call ${what}, longest turn`, cost.longestMs, { unit: "ms" });
    }
    index.close();
    for (const threads of [1, 2]) await sayThreads(report, folder, threads);
    rmSync(folder, { recursive: true });
  },
};
