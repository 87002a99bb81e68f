import { PartitionWindow, type StoreDisk, type WindowDisk, type WindowFiles, type WindowTable } from "#state";
import type { VirtualHost } from "./host/virtual-host.ts";
import type { VirtualTime } from "./host/virtual-time.ts";
import type { Random } from "./random.ts";

type Tables = Map<string, Map<string, Buffer>>;
/** Returns what takes it back. */
type Write = (tables: Tables) => () => void;

const WRITE_MS = { from: 1, to: 12 };
/** What was written so long ago outlives the machine's power. */
const FLUSHED_AFTER_MS = 1_000;

interface Access {
  readonly tables: Tables;
  readonly host: VirtualHost;
  readonly isFlushedLate?: boolean;
}

/** A transaction that may not outlive the machine's power yet. */
interface Unflushed {
  readonly tables: Tables;
  readonly atMs: number;
  readonly takesBack: readonly (() => void)[];
}

/**
 * A machine's disk. What was written is there for the next process; what a killed process was about to write may be, or not. When the power
 * fails, the newest transactions of each directory are gone: what was under way, and some or all that were not flushed.
 */
export class SimulatedDisk {
  /** ENOSPC. */
  isFull = false;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #directories = new Map<string, Tables>();
  /** In the order in which they came; of stores only. */
  #unflushed: Unflushed[] = [];
  /** When the newest transaction of a directory is through; of stores only. */
  readonly #throughMs = new Map<Tables, number>();
  #powerFailures = 0;

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  /** Where a process on this machine keeps its windows. */
  windows(host: VirtualHost): WindowDisk {
    return {
      open: (options) =>
        new PartitionWindow(options, this.#files({ host, tables: this.#tables(options.directory) })),
      discard: (directory) => void this.#directories.delete(directory),
    };
  }

  /** Where a process on this machine keeps its stores. */
  stores(host: VirtualHost): StoreDisk {
    const files = (directory: string) =>
      this.#files({ host, tables: this.#tables(directory), isFlushedLate: true });
    return {
      open: ({ directory, use }) => use(files(directory)),
      discard: (directory) => void this.#directories.delete(directory),
    };
  }

  /** The machine's power fails. */
  loseUnflushed(): void {
    this.#powerFailures += 1;
    for (const tables of this.#directories.values()) {
      const own = this.#unflushed.filter((one) => one.tables === tables && !this.#isFlushed(one));
      const kept = this.#random.between(0, own.length);
      for (const { takesBack } of own.slice(kept).reverse())
        for (const takeBack of takesBack.toReversed()) takeBack();
    }
    this.#unflushed = [];
  }

  #isFlushed({ atMs }: Unflushed): boolean {
    return atMs + FLUSHED_AFTER_MS <= this.#time.nowMs;
  }

  #tables(directory: string): Tables {
    const known = this.#directories.get(directory) ?? new Map<string, Map<string, Buffer>>();
    this.#directories.set(directory, known);
    return known;
  }

  #files(access: Access): WindowFiles {
    let transaction: Write[] | undefined;
    const write = (one: Write): Promise<void> => {
      if (transaction === undefined) return this.#commit(access, [one]);
      transaction.push(one);
      return Promise.resolve();
    };
    return {
      table: (name) => tableOf(access.tables, name, write),
      batch: (work) => {
        transaction = [];
        work();
        const writes = transaction;
        transaction = undefined;
        return this.#commit(access, writes);
      },
      close: () => access.host.delay(1),
    };
  }

  /** All of it or nothing. */
  #commit({ host, isFlushedLate = false, tables }: Access, writes: readonly Write[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const takesMs = this.#random.between(WRITE_MS.from, WRITE_MS.to);
    const afterMs = isFlushedLate ? this.#inOrder(tables, takesMs) : takesMs;
    const outlivesProcess = this.#random.chance(0.5);
    const powerFailures = this.#powerFailures;
    this.#time.after(afterMs, () => {
      if (host.isDead && !outlivesProcess) return;
      // Those before it may be gone, and it follows from them.
      if (isFlushedLate && this.#powerFailures !== powerFailures) return;
      const isRefused = this.isFull;
      const takesBack = isRefused ? [] : writes.map((write) => write(tables));
      if (isFlushedLate) this.#written({ tables, atMs: this.#time.nowMs, takesBack });
      host.setImmediate(() => (isRefused ? reject(noSpace()) : resolve()));
    });
    return promise;
  }

  /** No transaction overtakes another one of its directory. */
  #inOrder(tables: Tables, takesMs: number): number {
    const { nowMs } = this.#time;
    const throughMs = Math.max(nowMs + takesMs, this.#throughMs.get(tables) ?? 0);
    this.#throughMs.set(tables, throughMs);
    return throughMs - nowMs;
  }

  #written(transaction: Unflushed): void {
    this.#unflushed = this.#unflushed.filter((one) => !this.#isFlushed(one));
    this.#unflushed.push(transaction);
  }
}

function noSpace(): Error {
  return Object.assign(new Error("ENOSPC: no space left on the simulated device"), { code: "ENOSPC" });
}

function tableIn(tables: Tables, name: string): Map<string, Buffer> {
  const known = tables.get(name) ?? new Map<string, Buffer>();
  tables.set(name, known);
  return known;
}

/** One entry as it is to be; undefined: it is removed. */
function writeOf(name: string, key: string, value: Buffer | undefined): Write {
  return (tables) => {
    const table = tableIn(tables, name);
    const before = table.get(key);
    const set = (entry: Buffer | undefined): void => {
      if (entry === undefined) table.delete(key);
      else table.set(key, entry);
    };
    set(value);
    return () => set(before);
  };
}

function tableOf(tables: Tables, name: string, write: (one: Write) => Promise<void>): WindowTable {
  const entries = (): ReadonlyMap<string, Buffer> => tables.get(name) ?? new Map();
  const get = (key: Buffer): Buffer | undefined => entries().get(key.toString("latin1"));
  return {
    getBinary: get,
    getBinaryFast: get,
    doesExist: (key) => get(key) !== undefined,
    put: (key, value) => write(writeOf(name, key.toString("latin1"), Buffer.from(value))),
    remove: (key) => write(writeOf(name, key.toString("latin1"), undefined)),
    getKeys({ start, reverse = false, limit } = {}) {
      const from = start?.toString("latin1");
      const sorted = [...entries().keys()].filter((key) => from === undefined || key >= from).sort();
      return (reverse ? sorted.reverse() : sorted).slice(0, limit).map((key) => Buffer.from(key, "latin1"));
    },
    getStats: () => ({ entryCount: entries().size }),
    drop: () =>
      write((all) => {
        const dropped = all.get(name);
        all.delete(name);
        return () => void (dropped === undefined ? all.delete(name) : all.set(name, dropped));
      }),
  };
}
