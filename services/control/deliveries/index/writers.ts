import type { Statements } from "./sql.ts";

/** A record of deliverers, who number what they write. */
interface Numbered {
  readonly writer: string;
  readonly sequence: number;
}

/**
 * Recognises records that a producer wrote twice because an acknowledgement was lost. Each writer's numbers grow along a partition, so what
 * is not larger than the last one has been here. A writer is one run of one process: few, and forgotten with their records.
 */
export class Writers {
  readonly #sql: Statements;
  readonly #last = new Map<string, number>();
  readonly #changed = new Map<string, readonly [topic: string, partition: number, writer: string]>();

  constructor(sql: Statements) {
    this.#sql = sql;
    this.reload();
  }

  isNew(topic: string, partition: number, { writer, sequence }: Numbered): boolean {
    const key = `${topic}/${partition}/${writer}`;
    if (sequence <= (this.#last.get(key) ?? 0)) return false;
    this.#last.set(key, sequence);
    this.#changed.set(key, [topic, partition, writer]);
    return true;
  }

  /** Within the transaction that the records are written in. */
  save(nowMs: number): void {
    for (const [key, names] of this.#changed) {
      const sequence = this.#last.get(key) ?? 0;
      this.#sql.run("INSERT OR REPLACE INTO writers VALUES (?, ?, ?, ?, ?)", ...names, sequence, nowMs);
    }
    this.#changed.clear();
  }

  /** After a transaction that came to nothing, and after deletions. */
  reload(): void {
    this.#changed.clear();
    this.#last.clear();
    for (const row of this.#sql.all("SELECT topic, partition, writer, sequence FROM writers"))
      this.#last.set(`${row["topic"]}/${row["partition"]}/${row["writer"]}`, Number(row["sequence"]));
  }
}
