/** One table of a window's files: bytes by key, in the order of the keys. Writes inside `WindowFiles.batch` are one transaction. */
export interface WindowTable {
  getBinary(key: Buffer): Buffer | undefined;
  /** The result may be overwritten by the next read. */
  getBinaryFast(key: Buffer): Buffer | undefined;
  doesExist(key: Buffer): boolean;
  put(key: Buffer, value: Buffer): Promise<unknown>;
  remove(key: Buffer): Promise<unknown>;
  /** Keys from `start` on, which may be a key itself. */
  getKeys(options?: {
    readonly start?: Buffer;
    readonly reverse?: boolean;
    readonly limit?: number;
  }): Iterable<Buffer>;
  getStats(): object;
  /** Removes the table with everything in it. */
  drop(): Promise<unknown>;
}

/** The files of one partition's window. */
export interface WindowFiles {
  /** Made when it is missing. */
  table(name: string): WindowTable;
  /** Runs `work`; resolves when all that it has written is on disk, rejects when nothing of it is. */
  batch(work: () => void): Promise<unknown>;
  close(): Promise<void>;
}
