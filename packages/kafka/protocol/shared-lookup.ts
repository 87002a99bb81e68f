import dns from "node:dns";
import type { LookupFunction } from "node:net";

type Answered = Parameters<LookupFunction>[2];

/**
 * Shares one getaddrinfo call for each name among all that ask meanwhile. A name server that is silent about
 * a broker that is gone blocks one of libuv's threads for as long as it is asked, and libuv lends two of its
 * four to lookups. The client tries such a broker again and again, from many connections: the living ones
 * would not be found any more.
 */
export function createSharedLookup(lookup: LookupFunction = dns.lookup): LookupFunction {
  const asking = new Map<string, Answered[]>();
  return (hostname, options, answered) => {
    const question = `${hostname} ${JSON.stringify(options)}`;
    const others = asking.get(question);
    if (others !== undefined) {
      others.push(answered);
      return;
    }
    const everybody = [answered];
    asking.set(question, everybody);
    lookup(hostname, options, (...answer) => {
      asking.delete(question);
      for (const each of everybody) each(...answer);
    });
  };
}
