import { jobKey } from "#contract";
import type { DeliveryJob } from "#topics";
import type { WaitingPlace } from "./stretches.ts";

export interface WaitingJob {
  readonly place: WaitingPlace;
  readonly topicName: string;
  readonly job: DeliveryJob;
}

export const WAITING_STATES = ["queued", "waiting", "paused"] as const;
export type WaitingState = (typeof WAITING_STATES)[number];

export function waitingState({ dueAtMs, pausedSinceMs }: DeliveryJob): WaitingState {
  if (pausedSinceMs !== null) return "paused";
  return dueAtMs === 0 ? "queued" : "waiting";
}

interface Copy {
  readonly steps: number;
  readonly receivedAtMs: number;
  readonly place: WaitingPlace;
  /** Whether it is listed and counted; one that is not takes the place of copies that are behind it all the same. */
  readonly isMeant: boolean;
  /** undefined: too many are kept. */
  readonly waiting: WaitingJob | undefined;
}

interface FirstJobs {
  readonly jobs: readonly WaitingJob[];
  /** Behind which the others stand; undefined where there are none. */
  readonly next: WaitingPlace | undefined;
}

/** Jobs in the order in which they stand; of copies the one that has come furthest. */
export class FurthestCopies {
  readonly #byKey = new Map<string, Copy>();
  readonly #mostKept: number;
  #kept = 0;
  #size = 0;

  /** Jobs beyond `mostKept` are only counted. */
  constructor(mostKept: number) {
    this.#mostKept = mostKept;
  }

  /** Jobs that are meant, each once. */
  get size(): number {
    return this.#size;
  }

  add(waiting: WaitingJob, isMeant = true): void {
    const { job, place } = waiting;
    const { attempts, diverts, receivedAtMs } = job;
    const key = jobKey(job);
    const steps = attempts + diverts;
    const known = this.#byKey.get(key);
    if (known !== undefined && known.steps > steps) return;
    if (known?.waiting !== undefined) this.#kept -= 1;
    this.#size += Number(isMeant) - Number(known?.isMeant ?? false);
    const isKept = isMeant && this.#kept < this.#mostKept;
    if (isKept) this.#kept += 1;
    // At the end: it stands behind all that was found before it.
    this.#byKey.delete(key);
    this.#byKey.set(key, { steps, receivedAtMs, place, isMeant, waiting: isKept ? waiting : undefined });
  }

  /** At most `limit`; fewer, also none, where one of the first was not kept. */
  first(limit: number): FirstJobs {
    const jobs: WaitingJob[] = [];
    for (const { place, waiting } of this.#meant()) {
      const before = jobs.at(-1)?.place ?? { ...place, offset: place.offset - 1 };
      if (jobs.length === limit || waiting === undefined) return { jobs, next: before };
      jobs.push(waiting);
    }
    return { jobs, next: undefined };
  }

  *receivedAtMs(): Generator<number> {
    for (const { receivedAtMs } of this.#meant()) yield receivedAtMs;
  }

  *#meant(): Generator<Copy> {
    for (const copy of this.#byKey.values()) if (copy.isMeant) yield copy;
  }
}
