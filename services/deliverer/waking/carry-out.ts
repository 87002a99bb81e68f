// Carries out retry requests: looks from time to time where one is not done yet, lets a pass run, and writes
// what is done. A request is durable, and so is its progress: the next owner of a partition goes on with it
// (decision 72).
import type { Host } from "#host";
import type { OutgoingRecord, Runner } from "#kafka";
import type { Logger } from "#runtime";
import type { Serde } from "#serde";
import type { RetryRequest, TopicMap } from "#topics";
import type { DestinationState } from "../destinations.ts";
import type { EndpointQueues } from "../endpoints/endpoint-queues.ts";
import type { OpenRequest } from "./retry-request.ts";
import type { RetryRequests } from "./retry-requests.ts";
import type { Waker } from "./waker.ts";

const LOOK_EVERY_MS = 1_000;

export interface CarryingOut {
  readonly requests: RetryRequests;
  readonly host: Pick<Host, "delay" | "elapsed">;
  readonly destinations: { state(destinationId: string): DestinationState };
  readonly queues: Pick<EndpointQueues, "askForProbe" | "room">;
  readonly waker: Pick<Waker, "asked">;
  readonly runner: Pick<Runner, "assigned">;
  /** Names of the retry topics. */
  readonly topics: ReadonlySet<string>;
  readonly retryRequests: TopicMap["retryRequests"];
  readonly serde: Pick<Serde, "encode">;
  readonly logger: Pick<Logger, "warn">;
  write(records: readonly OutgoingRecord[]): Promise<void>;
}

/** Carries requests out until `stopping`. The next owner repeats what could not be written by then. */
export async function carryOut(options: CarryingOut, stopping: AbortSignal): Promise<void> {
  const { host, requests } = options;
  while (!stopping.aborted) {
    await host.delay(LOOK_EVERY_MS, stopping).catch(() => undefined);
    if (stopping.aborted || requests.isEmpty) continue;
    try {
      await report(options);
    } catch (error) {
      if (!stopping.aborted)
        options.logger.warn(
          { err: error },
          "the progress of retry requests could not be written; it is tried again",
        );
    }
    look(options);
  }
}

function look(options: CarryingOut): void {
  const { destinations, host, requests, runner, topics, waker } = options;
  const partitions = runner.assigned.filter(({ topic }) => topics.has(topic));
  for (const request of requests.due(partitions, host.elapsed())) {
    const { destinationId } = request.request;
    if (canBegin(request, destinations.state(destinationId), options)) waker.asked(destinationId);
  }
}

/**
 * A paused destination's calls stay until it is resumed. Those of an endpoint that is taken for down stay until it takes one; a request asks it
 * once, ahead of its time, but not in a pause that the endpoint has asked for.
 */
function canBegin(
  request: OpenRequest,
  state: DestinationState,
  { host, queues }: Pick<CarryingOut, "host" | "queues">,
): boolean {
  if (request.isOfDeleted) return state.kind === "gone";
  if (state.kind !== "active") return false;
  for (const url of state.urls) request.probe(url, () => queues.askForProbe(url, host.elapsed()));
  return state.urls.some((url) => queues.room(url) !== undefined);
}

async function report({ requests, retryRequests, serde, write }: CarryingOut): Promise<void> {
  const reports = requests.takeReports();
  const records = reports.map((done: RetryRequest) => ({
    topic: retryRequests.name,
    key: done.destinationId,
    value: serde.encode(retryRequests, done),
  }));
  try {
    if (records.length > 0) await write(records);
  } catch (error) {
    requests.putBack(reports);
    throw error;
  }
}
