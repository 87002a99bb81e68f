import { type Endpoints, type Look, type PassParts, type PassResult, REQUESTED } from "./parts.ts";
import { WakeProgress } from "./progress.ts";
import type { OpenRequest } from "./retry-request.ts";

/** A destination that waits for one of the endpoints, or has requests. */
export interface Woken {
  /** The endpoint whose room its jobs wait for; of a deleted destination, which has none, its id. */
  readonly endpoint: string;
  /** The time of failure from which on jobs keep their due time, unless a request means them. */
  readonly failedBeforeMs: number;
  readonly requests: readonly OpenRequest[];
  readonly isGone: boolean;
  readonly progress: WakeProgress;
}

interface Known {
  readonly parts: Pick<PassParts, "destination" | "room">;
  readonly endpoints: Endpoints;
  /** Requests of the destination. */
  readonly requests: readonly OpenRequest[];
}

/** The destinations that a pass meets in one partition. */
export class WokenDestinations {
  readonly #parts: Known["parts"];
  readonly #endpoints: Endpoints;
  readonly #requests: Look["requests"];
  /**
   * Decisions by destination, made at its first job: a change of its configuration must not let a later one
   * fall between.
   */
  readonly #destinations = new Map<string, Woken | undefined>();
  /** Retention has removed some of the partition. */
  #isCut = false;

  constructor(parts: Known["parts"], endpoints: Endpoints, requests: Look["requests"]) {
    this.#parts = parts;
    this.#endpoints = endpoints;
    this.#requests = requests;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** Undefined: its jobs stay. */
  of(destinationId: string): Woken | undefined {
    if (this.#destinations.has(destinationId)) return this.#destinations.get(destinationId);
    const requests = this.#requests.get(destinationId) ?? [];
    const known = { parts: this.#parts, endpoints: this.#endpoints, requests };
    const woken = this.#isCut ? undefined : wokenBy(destinationId, known);
    this.#destinations.set(destinationId, woken);
    return woken;
  }

  /** It has a job here that may be taken. */
  isWoken(destinationId: string): boolean {
    return this.#destinations.get(destinationId) !== undefined;
  }

  /** Of what was seen: nothing of the destination is left that could have been taken. */
  isWhole(destinationId: string): boolean {
    if (!this.#destinations.has(destinationId)) return true;
    const progress = this.#destinations.get(destinationId)?.progress;
    return progress?.isWhole === true && !progress.isGettingThrough;
  }

  /**
   * Notes that retention has removed records from this offset on. The topic's reader may have them in hand: no
   * cursor may say that they were taken.
   */
  cut(offset: number): void {
    this.#isCut = true;
    for (const woken of this.#destinations.values()) woken?.progress.stop(offset);
  }

  /** Of all of them together. */
  result(): PassResult {
    let taken = 0;
    let returned = 0;
    for (const woken of this.#destinations.values()) {
      taken += woken?.progress.taken ?? 0;
      returned += woken?.progress.returned ?? 0;
    }
    const isPutOff = [...this.#destinations.values()].some((woken) => woken?.progress.isPutOff);
    return { taken, returned, isPutOff };
  }

  /** For cursors: those below which all is taken care of, and those that stay at 0. */
  [Symbol.iterator](): Iterator<[string, Woken | undefined]> {
    return this.#destinations.entries();
  }
}

/** Decides what a pass does with a destination's jobs; undefined where they stay. */
function wokenBy(destinationId: string, { parts, endpoints, requests: asked }: Known): Woken | undefined {
  const state = parts.destination(destinationId);
  const isGone = state.kind === "gone";
  // Others than when the pass looked for them, where the destination was deleted meanwhile.
  const requests = asked.filter((each) => each.isOfDeleted === isGone);
  const progress = new WakeProgress();
  if (isGone && requests.length > 0)
    return { endpoint: destinationId, failedBeforeMs: REQUESTED, requests, isGone, progress };
  if (state.kind !== "active") return undefined;
  const { urls } = state;
  const back = urls.find((each) => endpoints.has(each));
  const open = requests.length === 0 ? back : urls.find((each) => parts.room.isOpen(each));
  const endpoint = open ?? back ?? (requests.length === 0 ? undefined : urls[0]);
  if (endpoint === undefined) return undefined;
  const failedBeforeMs = endpoints.get(back ?? "") ?? REQUESTED;
  return { endpoint, failedBeforeMs, requests, isGone, progress };
}
