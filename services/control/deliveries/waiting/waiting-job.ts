import { jobKey } from "#contract";
import type { DeliveryJob } from "#topics";
import type { WaitingPlace } from "./stretches.ts";

export interface WaitingJob {
  readonly place: WaitingPlace;
  readonly topicName: string;
  readonly job: DeliveryJob;
}

export type WaitingState = "queued" | "waiting" | "paused";

export function waitingState({ dueAtMs, pausedSinceMs }: DeliveryJob): WaitingState {
  if (pausedSinceMs !== null) return "paused";
  return dueAtMs === 0 ? "queued" : "waiting";
}

interface Copy {
  readonly steps: number;
  readonly receivedAtMs: number;
  /** undefined: too many are kept. */
  readonly waiting: WaitingJob | undefined;
}

/** Jobs in the order in which they stand; of copies the one that has come furthest. */
export class FurthestCopies {
  readonly #byKey = new Map<string, Copy>();
  readonly #mostKept: number;
  #kept = 0;

  /** Jobs beyond `mostKept` are only counted. */
  constructor(mostKept: number) {
    this.#mostKept = mostKept;
  }

  /** Jobs, each once. */
  get size(): number {
    return this.#byKey.size;
  }

  add(waiting: WaitingJob): void {
    const { attempts, diverts, receivedAtMs } = waiting.job;
    const key = jobKey(waiting.job);
    const steps = attempts + diverts;
    const known = this.#byKey.get(key);
    if (known !== undefined && known.steps > steps) return;
    if (known?.waiting !== undefined) this.#kept -= 1;
    const isKept = this.#kept < this.#mostKept;
    if (isKept) this.#kept += 1;
    // At the end: it stands behind all that was found before it.
    this.#byKey.delete(key);
    this.#byKey.set(key, { steps, receivedAtMs, waiting: isKept ? waiting : undefined });
  }

  /** At most `limit`; fewer when one of the first was not kept. */
  first(limit: number): WaitingJob[] {
    const jobs: WaitingJob[] = [];
    for (const { waiting } of this.#byKey.values()) {
      if (jobs.length === limit || waiting === undefined) break;
      jobs.push(waiting);
    }
    return jobs;
  }

  *receivedAtMs(): Generator<number> {
    for (const { receivedAtMs } of this.#byKey.values()) yield receivedAtMs;
  }
}
