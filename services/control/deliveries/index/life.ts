// When an index was created, and used last.
import { type Eras, erasOf, UNUSED_MS } from "./eras.ts";
import type { Statements } from "./sql.ts";

/** Undefined for an index that was not used for too long: topics may have dropped what it has not read. */
export function beginLife(sql: Statements, nowMs: number): Eras | undefined {
  const [life] = sql.all("SELECT created_ms, used_ms FROM life");
  if (life === undefined) {
    sql.run("INSERT INTO life VALUES (?, ?)", nowMs, nowMs);
    return erasOf(nowMs);
  }
  return nowMs - Number(life["used_ms"]) > UNUSED_MS ? undefined : erasOf(Number(life["created_ms"]));
}

export function noteUse(sql: Statements, nowMs: number): void {
  sql.run("UPDATE life SET used_ms = ?", nowMs);
}
