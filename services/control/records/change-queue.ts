import type { Host } from "#host";
import { ProblemError, type ProblemKind } from "../http/problem.ts";
import { refreshAll } from "../http/refresh.ts";
import { StaleEdit } from "./sole-writer.ts";

/**
 * Runs changes one after the other, so that what a change was checked against still holds when it is written. Changes
 * are rare; a turn that does not come means that Kafka does not acknowledge those before.
 */
export interface ChangeQueue {
  /**
   * A change that ends with a StaleEdit has written nothing and is run again; so is one that is refused, once, on what other processes have
   * written meanwhile. Rejects with an "unavailable" problem when the turn does not come in
   * time, or when other processes never leave one; the change is then not begun.
   */
  run<T>(change: () => Promise<T>): Promise<T>;
  /** Of what changes nothing: where it is refused, it is decided once more on what other processes have written. */
  decide<T>(decision: () => T): Promise<T>;
}

export interface ChangeQueueOptions {
  /** Whose entries other processes may have changed. */
  readonly stores?: readonly { refresh(): Promise<void> }[];
  readonly turnWithinMs?: number;
}

/** What is refused for what this process knows, which may be behind: a pause that another one has answered, not read here yet. */
const REFUSED: ReadonlySet<ProblemKind> = new Set(["conflict", "not_found", "precondition_failed"]);

const TURN_WITHIN_MS = 5_000;
const AGAIN_AFTER_MS = 50;

type QueueHost = Pick<Host, "setTimeout" | "delay" | "elapsed">;

/** What a change asks of others before it writes: not once more for the same when the change is run again. */
export function oncePer<T>(work: () => Promise<void>): (what: T) => Promise<void> {
  const asked = new Set<T>();
  return async (what) => {
    if (asked.has(what)) return;
    await work();
    asked.add(what);
  };
}

export function createChangeQueue(
  host: QueueHost,
  { stores = [], turnWithinMs = TURN_WITHIN_MS }: ChangeQueueOptions = {},
): ChangeQueue {
  let last: Promise<void> = Promise.resolve();
  async function onFreshView<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ProblemError) || !REFUSED.has(error.kind)) throw error;
    }
    await refreshAll(stores, host);
    return await work();
  }
  return {
    decide: (decision) => onFreshView(async () => decision()),
    async run(change) {
      const before = last;
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      last = before.then(() => ended);
      try {
        await inTime(before, turnWithinMs, host);
        return await onFreshView(() => untilFresh(change, turnWithinMs, host));
      } finally {
        end();
      }
    },
  };
}

async function untilFresh<T>(change: () => Promise<T>, withinMs: number, host: QueueHost): Promise<T> {
  const endMs = host.elapsed() + withinMs;
  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof StaleEdit)) throw error;
      if (host.elapsed() >= endMs)
        throw new ProblemError("unavailable", `${error.message}; nothing was written`);
    }
    await host.delay(AGAIN_AFTER_MS);
  }
}

async function inTime(turn: Promise<void>, withinMs: number, host: Pick<Host, "setTimeout">): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const problem = new ProblemError("unavailable", "earlier changes still wait for Kafka; nothing was begun");
  const timer = host.setTimeout(() => reject(problem), withinMs);
  try {
    await Promise.race([turn, late]);
  } finally {
    timer.clear();
  }
}
