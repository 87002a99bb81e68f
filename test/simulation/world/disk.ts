import { PartitionWindow, type WindowDisk, type WindowFiles, type WindowTable } from "#state";
import type { VirtualHost } from "../host/virtual-host.ts";
import type { VirtualTime } from "../host/virtual-time.ts";
import type { Random } from "../random.ts";

type Tables = Map<string, Map<string, Buffer>>;
type Write = (tables: Tables) => void;

const WRITE_MS = { from: 1, to: 12 };

interface Access {
  readonly tables: Tables;
  readonly host: VirtualHost;
}

/** A machine's disk. What was written is there for the next process; what a killed process was about to write may be, or not. */
export class SimulatedDisk {
  /** ENOSPC. */
  isFull = false;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #directories = new Map<string, Tables>();

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
  #commit({ host, tables }: Access, writes: readonly Write[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const afterMs = this.#random.between(WRITE_MS.from, WRITE_MS.to);
    const outlivesProcess = this.#random.chance(0.5);
    this.#time.after(afterMs, () => {
      if (host.isDead && !outlivesProcess) return;
      const isRefused = this.isFull;
      if (!isRefused) for (const each of writes) each(tables);
      host.setImmediate(() => (isRefused ? reject(noSpace()) : resolve()));
    });
    return promise;
  }
}

function noSpace(): Error {
  return Object.assign(new Error("ENOSPC: no space left on the simulated device"), { code: "ENOSPC" });
}

function tableOf(tables: Tables, name: string, write: (one: Write) => Promise<void>): WindowTable {
  const entries = (): ReadonlyMap<string, Buffer> => tables.get(name) ?? new Map();
  const get = (key: Buffer): Buffer | undefined => entries().get(key.toString("latin1"));
  return {
    getBinary: get,
    getBinaryFast: get,
    doesExist: (key) => get(key) !== undefined,
    put(key, value) {
      const [place, copy] = [key.toString("latin1"), Buffer.from(value)];
      return write((all) => all.set(name, (all.get(name) ?? new Map<string, Buffer>()).set(place, copy)));
    },
    remove(key) {
      const removed = key.toString("latin1");
      return write((all) => all.get(name)?.delete(removed));
    },
    getKeys({ reverse = false, limit } = {}) {
      const sorted = [...entries().keys()].sort();
      return (reverse ? sorted.reverse() : sorted).slice(0, limit).map((key) => Buffer.from(key, "latin1"));
    },
    getStats: () => ({ entryCount: entries().size }),
    drop: () => write((all) => void all.delete(name)),
  };
}
