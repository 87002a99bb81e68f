// Names to addresses (decision 10).
import { lookup, Resolver } from "node:dns/promises";
import type { Host } from "#host";
import { NameError } from "./failures.ts";
import { openHostsFile } from "./hosts-file.ts";
import type { Resolve, ResolvedAddress } from "./resolver.ts";
import { createSerialLookup } from "./serial-lookup.ts";

/** The time that an answer may take, in ms. */
interface Patience {
  /**
   * The limits of one question: its first timeout, the longest of the following, and the number of tries
   * (node's Resolver).
   */
  readonly timeout: number;
  readonly maxTimeout: number;
  readonly tries: number;
  /** Once one family has answered, the other gets this much longer: some servers never answer questions for IPv6. */
  readonly otherFamily: number;
}

export interface NameServiceOptions {
  readonly host: Host;
  /** Replace the system's in tests. */
  readonly servers?: readonly string[];
  readonly patience?: Patience;
  readonly hostsPath?: string;
  readonly lookup?: Resolve;
}

export interface NameService {
  readonly resolve: Resolve;
  /** Questions under way fail. */
  close(): void;
}

/**
 * Together less than a request may take (contract 2.5), so that a silent name is called `dns` and no timeout of the endpoint: 0.5 + 1.0 +
 * 1.3 + 1.3 s, and c-ares adds up to a tenth. It begins with less where the servers are known to be quick.
 */
const PATIENCE: Patience = { timeout: 500, maxTimeout: 1_300, tries: 4, otherFamily: 300 };

/** The longest time that a change of /etc/resolv.conf stays unseen. */
const RENEW_MS = 60_000;

const MAX_WAITING_LOOKUPS = 1_000;

/**
 * Codes of servers that don't know the name, or of no servers: the system may know more. A slow or broken
 * server is so for the system, too.
 */
const UNKNOWN_NAME_CODES = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"]);

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown error";

interface Question {
  readonly resolver: Resolver;
  readonly hostname: string;
  readonly otherFamilyMs: number;
}

/** Asks the name servers for both families at once. Rejects with an AggregateError of both failures. */
async function askServers(
  { resolver, hostname, otherFamilyMs }: Question,
  host: Host,
): Promise<ResolvedAddress[]> {
  const questions = [
    resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(hostname).then((found) => found.map((address) => ({ address, family: 6 }))),
  ];
  await Promise.any(questions);
  const enough = new AbortController();
  const late = host.delay(otherFamilyMs, enough.signal).then(
    () => [],
    () => [],
  );
  const answers = await Promise.all(
    questions.map((question) => Promise.race([question.catch(() => []), late])),
  );
  enough.abort();
  return answers.flat();
}

/** The system's name servers, asked without a thread. */
function createServers({ host, servers, patience = PATIENCE }: NameServiceOptions): {
  current(): Resolver;
  cancel(): void;
} {
  let resolver: Resolver | undefined;
  let madeAtMs = 0;
  return {
    current() {
      if (resolver === undefined || host.elapsed() - madeAtMs >= RENEW_MS) {
        resolver = new Resolver(patience);
        if (servers !== undefined) resolver.setServers(servers);
        madeAtMs = host.elapsed();
      }
      return resolver;
    },
    cancel: () => resolver?.cancel(),
  };
}

/**
 * Every address of a name: from the hosts file, else from the name servers, which any number of silent names does not keep from
 * answering others; else, for names that only the system can complete (search domains, mDNS, NSS), from getaddrinfo.
 */
export function createNameService(options: NameServiceOptions): NameService {
  const { host } = options;
  const { otherFamily: otherFamilyMs } = options.patience ?? PATIENCE;
  const inHostsFile = openHostsFile(options.hostsPath ?? "/etc/hosts", () => host.elapsed());
  const servers = createServers(options);
  const lookupAll: Resolve = (hostname) => lookup(hostname, { all: true });
  const askSystem = createSerialLookup({
    lookup: options.lookup ?? lookupAll,
    maxWaiting: MAX_WAITING_LOOKUPS,
  });

  async function ask(hostname: string): Promise<readonly ResolvedAddress[]> {
    // A single label is no name of the public DNS: asking there would only cost time.
    if (!hostname.replace(/\.$/, "").includes(".")) return askSystem(hostname);
    try {
      return await askServers({ resolver: servers.current(), hostname, otherFamilyMs }, host);
    } catch (error) {
      const codes = error instanceof AggregateError ? error.errors.map(codeOf) : [codeOf(error)];
      const failed = codes.find((code) => !UNKNOWN_NAME_CODES.has(code));
      if (failed !== undefined) throw new NameError(hostname, failed);
      return askSystem(hostname);
    }
  }

  return {
    resolve: async (hostname) => inHostsFile(hostname.toLowerCase().replace(/\.$/, "")) ?? ask(hostname),
    close: servers.cancel,
  };
}
