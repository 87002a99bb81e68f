import type { Host } from "#host";
import { ClusterError, nameOf } from "../errors.ts";

/** As the product's session has it: session.ts. */
const RETRY = { initialMs: 100, maxMs: 500, multiplier: 2, retries: 8, jitter: 0.2 };

/** What the client does not repair by itself. */
const UNRECOVERABLE: ReadonlySet<string> = new Set([
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
]);

/** Ends the trying at once, with the error as it is. */
export class Bail {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Tries until it succeeds, bails out, fails for good or has failed too often: the client's retrier. */
export async function retrying<R>(host: Host, work: () => Promise<R>): Promise<R> {
  let delayMs = jittered(RETRY.initialMs, host);
  for (let failures = 0; ; failures += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (thrown instanceof Bail) throw thrown.error;
      if (!isRetriable(thrown)) throw ClusterError.final(thrown);
      if (failures >= RETRY.retries) throw ClusterError.retriesExceeded(thrown as ClusterError);
    }
    await host.delay(delayMs);
    delayMs = Math.min(jittered(delayMs, host) * RETRY.multiplier, RETRY.maxMs);
  }
}

function isRetriable(thrown: unknown): boolean {
  if (UNRECOVERABLE.has(nameOf(thrown))) return false;
  return (thrown as { readonly retriable?: boolean }).retriable !== false;
}

function jittered(delayMs: number, host: Host): number {
  return Math.ceil(delayMs * (1 - RETRY.jitter + host.random() * 2 * RETRY.jitter));
}
