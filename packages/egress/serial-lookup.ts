import { NameError } from "./failures.ts";
import type { Resolve } from "./resolver.ts";

export interface SerialLookupOptions {
  readonly lookup: Resolve;
  /** The number of names that may wait; the next one fails at once. */
  readonly maxWaiting: number;
}

/**
 * getaddrinfo, one name at a time. It blocks one of libuv's threads for as long as a name server is silent, and libuv lends two of
 * its four to lookups: the other one stays free for the rest of the process, which finds its Kafka brokers by it.
 */
export function createSerialLookup({ lookup, maxWaiting }: SerialLookupOptions): Resolve {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return (hostname) => {
    if (waiting >= maxWaiting) return Promise.reject(new NameError(hostname, "too many lookups wait"));
    waiting += 1;
    const answer = last.then(() => {
      waiting -= 1;
      return lookup(hostname);
    });
    last = answer.catch(() => undefined);
    return answer;
  };
}
