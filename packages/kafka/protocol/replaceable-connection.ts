import type { Host } from "#host";
import { KafkaError } from "../errors.ts";
import { withinMs } from "../within.ts";

/** The longest wait of `close` for requests under way. A longer one closes its connection when it ends. */
const CLOSE_WAIT_MS = 2_000;

/** The way a connection is opened and closed. */
export interface ConnectionKind<C> {
  /** A name for people, in the error of a use after the end. */
  readonly name: string;
  readonly open: () => Promise<C>;
  readonly close: (connection: C) => Promise<void>;
}

/**
 * One connection for all users, opened at the first use. A connection that is put aside is closed when its
 * last user is done with it. Closed earlier, the Kafka client would open it again for a request under way,
 * and nobody would close it.
 */
export class ReplaceableConnection<C> {
  readonly #kind: ConnectionKind<C>;
  #current: UsedConnection<C> | undefined;
  #isClosed = false;

  constructor(kind: ConnectionKind<C>) {
    this.#kind = kind;
  }

  /**
   * Runs `work` with the connection. Rejects when the connection cannot be opened; the next use opens another
   * one.
   */
  async use<R>(work: (connection: C) => Promise<R>): Promise<R> {
    if (this.#isClosed) throw new KafkaError("closed", `${this.#kind.name} is closed`, { canRetry: false });
    this.#current ??= new UsedConnection(this.#kind);
    const used = this.#current;
    return await used.use(work, () => {
      if (this.#current === used) this.#current = undefined;
    });
  }

  /** Tries `work` on the connection if one is open, and puts that one aside where it fails. Never rejects. */
  async check(work: (connection: C) => Promise<void>): Promise<void> {
    const used = this.#current;
    if (used === undefined) return;
    const isWell = await this.use(async (connection) => {
      if (this.#current === used) await work(connection);
    }).then(
      () => true,
      () => false,
    );
    if (isWell || this.#current !== used) return;
    const closing = this.putAside();
    if (!used.isInUse) await closing;
  }

  /**
   * Puts the connection aside; the next use opens another one. Resolves when the old one is closed; never
   * rejects.
   */
  async putAside(): Promise<void> {
    const used = this.#current;
    this.#current = undefined;
    await used?.putAside();
  }

  /** Closes as `putAside`, within 2 s; later uses are refused. */
  close(host: Host): Promise<void> {
    this.#isClosed = true;
    return withinMs(this.putAside(), CLOSE_WAIT_MS, host);
  }
}

class UsedConnection<C> {
  readonly #kind: ConnectionKind<C>;
  readonly #connection: Promise<C>;
  #users = 0;
  readonly #unused = Promise.withResolvers<void>();
  #isPutAside = false;

  constructor(kind: ConnectionKind<C>) {
    this.#kind = kind;
    this.#connection = kind.open();
  }

  get isInUse(): boolean {
    return this.#users > 0;
  }

  async use<R>(work: (connection: C) => Promise<R>, onUnopened: () => void): Promise<R> {
    this.#users += 1;
    try {
      return await work(await this.#opened(onUnopened));
    } finally {
      this.#users -= 1;
      this.#endIfUnused();
    }
  }

  async putAside(): Promise<void> {
    this.#isPutAside = true;
    this.#endIfUnused();
    await this.#unused.promise;
    await this.#connection.then((connection) => this.#kind.close(connection)).catch(() => undefined);
  }

  async #opened(onUnopened: () => void): Promise<C> {
    try {
      return await this.#connection;
    } catch (thrown) {
      onUnopened();
      throw thrown;
    }
  }

  #endIfUnused(): void {
    if (this.#isPutAside && this.#users === 0) this.#unused.resolve();
  }
}
