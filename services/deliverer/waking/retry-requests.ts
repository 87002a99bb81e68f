import type { TopicPartition } from "#kafka";
import { KEPT_MS, type RetryRequest } from "#topics";
import { OpenRequest } from "./retry-request.ts";

/**
 * The most ids in a destination's open requests together; a request with fewer than `LEAST_IDS` counts as
 * that many.
 */
const MOST_IDS = 10_000;
const LEAST_IDS = 100;

export interface RetryRequestsOptions {
  /** Names of the retry topics that this process reads. */
  readonly topics: readonly string[];
  readonly nowMs: () => number;
}

/** The requests that are not carried out everywhere yet, as the topic of requests says. */
export class RetryRequests {
  readonly #options: RetryRequestsOptions;
  readonly #byId = new Map<string, OpenRequest>();
  readonly #byDestination = new Map<string, OpenRequest[]>();

  constructor(options: RetryRequestsOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#byId.size === 0;
  }

  /** `isLive`: it was written just now, and not before this process was there. What is done is known behind the request itself. */
  observe(request: RetryRequest, isLive: boolean): void {
    const { id, destinationId, done } = request;
    const known = this.#byId.get(id);
    if (done !== null) {
      known?.done(done.places);
      return;
    }
    if (known !== undefined) return;
    const open = new OpenRequest(request, this.#options.nowMs, isLive);
    const others = this.#othersThan(open);
    for (const each of this.of(destinationId)) if (!others.includes(each)) this.#byId.delete(each.request.id);
    this.#byId.set(id, open);
    this.#byDestination.set(destinationId, [...others, open]);
  }

  /**
   * The requests that stay open beside a new one: those that it does not cover. Where they are too many the
   * new one stands for all of them.
   */
  #othersThan(open: OpenRequest): readonly OpenRequest[] {
    const { topics } = this.#options;
    const known = this.of(open.request.destinationId).filter((each) => !each.isDone(topics));
    const others = () => known.filter((each) => !open.covers(each));
    if (weightOf([...others(), open]) > MOST_IDS) open.standFor(known);
    return others();
  }

  of(destinationId: string): readonly OpenRequest[] {
    return this.#byDestination.get(destinationId) ?? [];
  }

  /**
   * The requests with something to do in these partitions. Forgets those done everywhere, or too old to mean
   * anything.
   */
  due(partitions: readonly TopicPartition[], elapsedMs: number): OpenRequest[] {
    const { nowMs, topics } = this.#options;
    const oldestMs = nowMs() - KEPT_MS.retryRequests;
    const open = [...this.#byId.values()];
    for (const each of open) if (each.isDone(topics) || each.request.askedAtMs < oldestMs) this.#forget(each);
    return open.filter((each) => this.#byId.has(each.request.id) && each.isDue(partitions, elapsedMs));
  }

  /** Partitions were given out. */
  forgetPasses(): void {
    for (const open of this.#byId.values()) open.forgetPasses();
  }

  takeReports(): RetryRequest[] {
    return [...this.#byId.values()].flatMap((open) => open.takeReport() ?? []);
  }

  /** They could not be written. */
  putBack(reports: readonly RetryRequest[]): void {
    for (const { done, id } of reports) if (done !== null) this.#byId.get(id)?.putBack(done);
  }

  #forget({ request: { id, destinationId } }: OpenRequest): void {
    this.#byId.delete(id);
    const rest = this.of(destinationId).filter(({ request }) => request.id !== id);
    if (rest.length === 0) this.#byDestination.delete(destinationId);
    else this.#byDestination.set(destinationId, rest);
  }
}

function weightOf(requests: readonly OpenRequest[]): number {
  return requests.reduce((sum, { size }) => sum + Math.max(size, LEAST_IDS), 0);
}
