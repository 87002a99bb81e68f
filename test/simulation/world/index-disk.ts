import { DatabaseSync } from "node:sqlite";
import type { IndexDatabase, IndexDisk } from "../../../services/control/deliveries/index/database.ts";
import { CONNECTION, SCHEMA } from "../../../services/control/deliveries/index/schema.ts";

/** Where control processes of one machine keep their indexes, which outlive them. A transaction takes no time, so none is ever half there. */
export class SimulatedIndexDisk implements IndexDisk {
  readonly #databases = new Map<string, DatabaseSync>();

  open({ folder }: Parameters<IndexDisk["open"]>[0]): IndexDatabase {
    const known = this.#databases.get(folder);
    if (known !== undefined) return { database: known, file: folder };
    const database = new DatabaseSync(":memory:");
    database.exec(`${CONNECTION} ${SCHEMA}`);
    this.#databases.set(folder, database);
    return { database, file: folder };
  }

  /** It stays for the next process. */
  close(): void {
    // Nothing to do.
  }

  discard({ database, file }: IndexDatabase): void {
    database.close();
    this.#databases.delete(file);
  }

  /** The world ends. */
  end(): void {
    for (const database of this.#databases.values()) database.close();
    this.#databases.clear();
  }
}
