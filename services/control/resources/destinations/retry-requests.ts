// What is asked of waiting calls, and how far deliverers are with it (decision 72).
import type { Kafka, Producer } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import { KEPT_MS, RetriedPlaces, type RetryRequest, type TopicMap } from "#topics";
import type { Ids } from "../../ids.ts";

type NewRequest = Omit<RetryRequest, "id" | "askedAtMs" | "done">;

/** The last request of a destination. */
export interface RetryState {
  readonly request: RetryRequest;
  /** Calls that were taken so far. */
  readonly woken: number;
  readonly isDone: boolean;
}

export interface RetryRequests {
  /** Durable when it resolves: deliverers carry it out within seconds, or as soon as there is one. */
  ask(request: NewRequest): Promise<void>;
  /** undefined: nothing was asked for as long as calls may wait. */
  of(destinationId: string): RetryState | undefined;
}

interface Known {
  readonly request: RetryRequest;
  readonly places: RetriedPlaces;
  woken: number;
}

/** The last request of each destination, from all that were read. */
class RetryBook {
  readonly #topics: readonly string[];
  readonly #byDestination = new Map<string, Known>();

  /** `topics`: the names of the retry topics. */
  constructor(topics: readonly string[]) {
    this.#topics = topics;
  }

  /** What is done of a request stands behind it. */
  observe(request: RetryRequest): void {
    const { destinationId, done, id } = request;
    const known = this.#byDestination.get(destinationId);
    if (done === null && known?.request.id !== id)
      this.#byDestination.set(destinationId, { request, places: new RetriedPlaces(), woken: 0 });
    if (done === null || known?.request.id !== id) return;
    known.woken += done.woken;
    for (const place of done.places) known.places.add(place);
  }

  of(destinationId: string, nowMs: number): RetryState | undefined {
    const known = this.#byDestination.get(destinationId);
    if (known === undefined) return undefined;
    const { places, request, woken } = known;
    // What it meant is not there any more.
    if (nowMs - request.askedAtMs > KEPT_MS.retryRequests) {
      this.#byDestination.delete(destinationId);
      return undefined;
    }
    return { request, woken, isDone: places.covers(this.#topics) };
  }
}

interface OpenParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly producer: Producer;
  readonly ids: Pick<Ids, "newRetryId">;
}

/** Resolves when all that was asked for is known. */
export async function openRetryRequests(
  { logger, nowMs }: Pick<ServiceContext<unknown>, "logger" | "nowMs">,
  { ids, kafka, producer, serde, topics }: OpenParts,
): Promise<RetryRequests> {
  const topic = topics.retryRequests;
  const book = new RetryBook(topics.deliveryRetries.map(({ name }) => name));
  const table = kafka.table<RetryRequest>({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
    keepsValues: false,
    onPoison: ({ key, partition, offset }, error) =>
      logger.error(
        { err: error, key, partition, offset, topic: topic.name },
        "a retry request cannot be read",
      ),
  });
  table.onChange((_, request) => {
    if (request !== undefined) book.observe(request);
  });
  await table.load();
  return {
    async ask(asked) {
      const request = { ...asked, id: ids.newRetryId(), askedAtMs: nowMs(), done: null };
      const { destinationId: key } = request;
      await producer.send([{ topic: topic.name, key, value: serde.encode(topic, request) }]);
      book.observe(request);
    },
    of: (destinationId) => book.of(destinationId, nowMs()),
  };
}
