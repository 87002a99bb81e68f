// A share of the recorded calls: the partitions of one of the threads that they are shared among. It is asked the same wherever it runs.
import type { IndexPart } from "./index-part.ts";

/** What a part of the index is asked for together with others. */
export type AskedName =
  | "begin"
  | "countCallsOfSource"
  | "countsOfRollups"
  | "createdMs"
  | "dueRollups"
  | "eventsOf"
  | "knowsDestination"
  | "listCallsOfSource"
  | "lookAtRoutedCalls"
  | "routedCallPartitions"
  | "routedCallRows"
  | "settleRollups"
  | "spans"
  | "sumBetween"
  | "sumFlow"
  | "sumNames";

type Method<K extends AskedName> = IndexPart[K] extends (...asked: never[]) => unknown
  ? IndexPart[K]
  : () => IndexPart[K];
export type Asked<K extends AskedName> = Parameters<Method<K>>;
export type Answer<K extends AskedName> = ReturnType<Method<K>>;

/** A file of the index that is asked with others. Rejects for one that fails, or has ended. */
export interface Share {
  ask<K extends AskedName>(name: K, ...asked: Asked<K>): Promise<Answer<K>>;
}

/** In this thread: the question is answered before the call returns. */
export function shareHere(part: IndexPart): Share {
  return { ask: async (name, ...asked) => answer(part, name, asked) };
}

export function answer<K extends AskedName>(part: IndexPart, name: K, asked: Asked<K>): Answer<K> {
  const found: unknown = part[name];
  return (typeof found === "function" ? found.apply(part, asked) : found) as Answer<K>;
}
