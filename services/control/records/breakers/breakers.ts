// Which endpoints deliverers do not ask, from all that they have said. Pure.
import type { DeliveryAttempt, EndpointBreaker } from "#topics";

export const BREAKER_STATES = ["closed", "open", "half_open"] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/** The breakers of all deliverers for one endpoint, as one. */
export interface JoinedBreaker {
  readonly state: BreakerState;
  /** Unix ms; null unless it is open. */
  readonly nextProbeAtMs: number | null;
}

const CLOSED: JoinedBreaker = { state: "closed", nextProbeAtMs: null };
/** A deliverer forgets an endpoint that nothing was sent to for so long after its probe was due; what was killed has forgotten it at once. */
const FORGOTTEN_MS = 3_600_000;
/** How often what is forgotten leaves. */
const SWEEP_EVERY_MS = 60_000;

/**
 * Several deliverers may send to one endpoint, each with a breaker of its own. Open is what one of them calls open, with the earliest
 * probe of all; half open is an endpoint that none calls open and one is asking. A deliverer that was killed says nothing any more: its
 * breaker counts until somebody else gets an answer after its probe was due, or an hour has passed since.
 */
export class Breakers {
  /** By URL and deliverer those that are not closed. */
  readonly #byUrl = new Map<string, Map<string, EndpointBreaker>>();
  #sweptAtMs = 0;

  /** Endpoints that are known not to be well. */
  get size(): number {
    return this.#byUrl.size;
  }

  /** Theirs. */
  urls(): Iterable<string> {
    return this.#byUrl.keys();
  }

  observe(said: EndpointBreaker, nowMs: number): void {
    const { state, url, writer } = said;
    if (state === "closed") this.#forget(url, writer);
    else {
      const ofUrl = this.#byUrl.get(url) ?? new Map<string, EndpointBreaker>();
      this.#byUrl.set(url, ofUrl.set(writer, said));
    }
    if (Math.abs(nowMs - this.#sweptAtMs) >= SWEEP_EVERY_MS) this.#sweep(nowMs);
  }

  /** A request has ended: an answer shows that breakers whose probe was due before it are not asked any more. */
  attempted({ durationMs, outcome, startedAtMs, url }: DeliveryAttempt): void {
    if (outcome !== "success") return;
    for (const said of this.#byUrl.get(url)?.values() ?? [])
      if (dueAtMs(said) < startedAtMs + durationMs) this.#forget(url, said.writer);
  }

  of(url: string, nowMs: number): JoinedBreaker {
    const known = [...(this.#byUrl.get(url)?.values() ?? [])].filter((said) => !isForgotten(said, nowMs));
    const probes = known.filter(({ state }) => state === "open").map(dueAtMs);
    if (probes.length > 0) return { state: "open", nextProbeAtMs: Math.min(...probes) };
    return known.length > 0 ? { state: "half_open", nextProbeAtMs: null } : CLOSED;
  }

  #forget(url: string, writer: string): void {
    const ofUrl = this.#byUrl.get(url);
    ofUrl?.delete(writer);
    if (ofUrl?.size === 0) this.#byUrl.delete(url);
  }

  #sweep(nowMs: number): void {
    this.#sweptAtMs = nowMs;
    for (const [url, ofUrl] of this.#byUrl)
      for (const said of ofUrl.values()) if (isForgotten(said, nowMs)) this.#forget(url, said.writer);
  }
}

function dueAtMs({ atMs, nextProbeAtMs }: EndpointBreaker): number {
  return nextProbeAtMs ?? atMs;
}

function isForgotten(said: EndpointBreaker, nowMs: number): boolean {
  return nowMs - dueAtMs(said) > FORGOTTEN_MS;
}
