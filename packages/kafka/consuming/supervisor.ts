import type { Host } from "#host";
import { backoffMs, isWorthLogging } from "../backoff.ts";
import { consumerStopped, fromClientError, KafkaError } from "../errors.ts";
import { withoutRepeats } from "../log.ts";
import type { NewSession, Session, SessionHandlers, SessionOptions } from "../session.ts";
import type { KafkaLogger } from "../types.ts";
import { withinMs } from "../within.ts";

const REOPEN_MS = { first: 100, max: 1_000 };
const WATCH_MS = 1_000;
/** A fetch loop that has not finished a round for this long counts as hung; a rebalance may take as long as its timeout. */
const HANGS_AFTER_MS = 45_000;
/**
 * A group that has answered nothing for this long may never do so again: where the connection breaks in the join of a consumer that its
 * group did not know any more, the client goes on fetching as nobody's member, and asks the group nothing (decision 61).
 */
const SILENT_AFTER_MS = 45_000;
/** A session that was a member for less has not mended what ended the one before it. */
const LASTS_FROM_MS = 30_000;
const FINAL_AFTER_FAILURES = 5;
const STOP_TIMEOUT_MS = 5_000;

export interface SupervisorHandlers extends Omit<SessionHandlers, "onCrash"> {
  /** A session has ended, and leaves the group. */
  onLeft(): void;
}

export interface SupervisorParts {
  readonly newSession: NewSession;
  readonly logger: KafkaLogger;
  readonly host: Host;
}

/**
 * Keeps a session open for as long as it is wanted: a crash or a hang that may pass leads to a new one, with a growing pause; any
 * other makes `failed` reject, because then the process should end (fact 13).
 */
export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #options: SessionOptions;
  readonly #handlers: SupervisorHandlers;
  readonly #failed = Promise.withResolvers<never>();
  readonly #isNew: (reason: string) => boolean;
  #session: Session | undefined;
  #memberId: string | undefined;
  #answeredElapsedMs = 0;
  /** When the session of now joined first; undefined until it has. */
  #joinedElapsedMs: number | undefined;
  #isStopping = false;
  /** Ends in a row of sessions that did not last. */
  #failures = 0;
  /** Ends what is awaited now: a session or a pause. */
  #end: ((why: KafkaError) => void) | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: SupervisorParts, options: SessionOptions, handlers: SupervisorHandlers) {
    this.#parts = parts;
    this.#options = options;
    this.#handlers = handlers;
    this.#isNew = withoutRepeats(parts.host);
    // An owner that does not await `failed` must not be ended by an unhandled rejection.
    this.#failed.promise.catch(() => undefined);
  }

  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** The current session, which may still be joining; undefined between two sessions. */
  get session(): Session | undefined {
    return this.#session;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the current session; a new one follows. */
  renew(why: string): void {
    this.#end?.(new KafkaError("unavailable", why, { canRetry: true }));
  }

  /** Leaves the group. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#end?.(consumerStopped());
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const error = await this.#runSession();
      if (this.#isStopping) return;
      const { groupId } = this.#options;
      const memberForMs = this.#parts.host.elapsed() - (this.#joinedElapsedMs ?? Number.POSITIVE_INFINITY);
      this.#failures = memberForMs >= LASTS_FROM_MS ? 1 : this.#failures + 1;
      // Where the group lets a member in, waiting may help.
      const failuresToJoin = this.#joinedElapsedMs === undefined ? this.#failures : 0;
      if (isFinal(error, failuresToJoin)) {
        const message = `consumer of ${groupId}: ${error.message}`;
        this.#failed.reject(new KafkaError("consumer_dead", message, { canRetry: false, cause: error }));
        return;
      }
      const facts = { groupId, failures: this.#failures, error: error.message };
      if (isWorthLogging(this.#failures) && this.#isNew(error.message))
        this.#parts.logger.warn(facts, "consumer starts again");
      await this.#pause(backoffMs(this.#failures, REOPEN_MS, this.#parts.host));
    }
  }

  /** One session from its opening to its end; resolves to why it ended. */
  async #runSession(): Promise<KafkaError> {
    const ended = Promise.withResolvers<KafkaError>();
    this.#end = ended.resolve;
    const session: Session = this.#parts.newSession(
      { ...this.#options, rejoinAs: this.#memberId },
      this.#currentOnly(() => session, ended.resolve),
    );
    this.#session = session;
    this.#joinedElapsedMs = undefined;
    this.#answeredElapsedMs = this.#parts.host.elapsed();
    const watch = this.#parts.host.setInterval(() => this.#endIfHanging(session), WATCH_MS);
    session.open().catch((thrown: unknown) => ended.resolve(fromClientError(thrown)));
    const why = await ended.promise;
    watch.clear();
    this.#session = undefined;
    this.#handlers.onLeft();
    // It may have ended while it joined.
    this.#handlers.onJoinFailed();
    await withinMs(session.stop(), STOP_TIMEOUT_MS, this.#parts.host);
    return why;
  }

  /** The handlers; they ignore events of a session that was given up. */
  #currentOnly(session: () => Session, onCrash: (error: KafkaError) => void): SessionHandlers {
    const isCurrent = (): boolean => this.#session === session();
    return {
      onCrash,
      onJoin: (join) => {
        if (!isCurrent()) return;
        this.#joinedElapsedMs ??= this.#parts.host.elapsed();
        this.#memberId = join.memberId;
        this.#handlers.onJoin(join);
      },
      onAnswered: (askedAtMs) => {
        if (!isCurrent()) return;
        this.#answeredElapsedMs = this.#parts.host.elapsed();
        this.#handlers.onAnswered(askedAtMs);
      },
      onRebalancing: async () => {
        if (isCurrent()) await this.#handlers.onRebalancing();
      },
      onJoinFailed: () => {
        if (isCurrent()) this.#handlers.onJoinFailed();
      },
      onCommitsRead: (commits) => {
        if (isCurrent()) this.#handlers.onCommitsRead(commits);
      },
      onRecordsGone: (gone) => {
        if (isCurrent()) this.#handlers.onRecordsGone(gone);
      },
      onLogCut: (cut) => (isCurrent() ? this.#handlers.onLogCut(cut) : undefined),
      onBatch: (batch) => (isCurrent() ? this.#handlers.onBatch(batch) : undefined),
    };
  }

  #endIfHanging(session: Session): void {
    const nowMs = this.#parts.host.elapsed();
    if (nowMs - session.lastActiveElapsedMs >= HANGS_AFTER_MS) this.renew("the fetch loop hangs");
    else if (nowMs - this.#answeredElapsedMs >= SILENT_AFTER_MS) this.renew("the group does not answer");
  }

  async #pause(delayMs: number): Promise<void> {
    const paused = Promise.withResolvers<unknown>();
    this.#end = paused.resolve;
    const timer = this.#parts.host.setTimeout(() => paused.resolve(undefined), delayMs);
    await paused.promise;
    timer.clear();
  }
}

/** True where waiting does not help. What the client calls final gets a few tries, because a new session starts afresh. */
function isFinal(error: KafkaError, failuresToJoin: number): boolean {
  return !error.canRetry && (error.code === "not_authorized" || failuresToJoin >= FINAL_AFTER_FAILURES);
}
