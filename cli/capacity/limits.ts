// The limits of a deployment of this shape, and the load of each.
import { DEFAULT_SHARD_WIDTH } from "#topics";
import { ASSUMED, AUDIENCE_CALLS_PER_CORE, LISTED_ATTEMPT_MICROS, MEASURED_MICROS } from "./figures.ts";
import type { Capacity, Load } from "./plan.ts";

export interface Limit {
  /** The part that is at its end. */
  readonly what: string;
  /** The rate of all calls, or of those that `what` names. */
  readonly callsPerSecond: number;
  readonly remedy: string;
  /** More processes or brokers of the same kind lift it. */
  readonly isLiftedByMore: boolean;
}

const perCore = (micros: number): number => (1e6 * ASSUMED.utilisation) / micros;

/** All of them, the nearest first. */
export function limitsOf(load: Load, { indexThreads, partitions, services, kafka }: Capacity): Limit[] {
  const { destinationsPerCall: perCall, hasAudiences } = load;
  const deliverer = perCore(MEASURED_MICROS.deliverer.micros);
  const scale = load.callsPerSecond / kafka.cores;
  const limits: Limit[] = [
    {
      what: `control, each process of which follows every call ${threadsText(indexThreads)}`,
      callsPerSecond: (Math.max(1, indexThreads) * perCore(MEASURED_MICROS.control.micros)) / perCall,
      remedy: "HOOKLINE_INDEX_THREADS; until then calls and statistics are shown late",
      isLiftedByMore: true,
    },
    {
      what: `control, each process of which lists every failure, one of ${1 / ASSUMED.failedShare} deliveries`,
      callsPerSecond: perCore(LISTED_ATTEMPT_MICROS * ASSUMED.failedShare) / perCall,
      remedy: "none yet: requests and statistics are shown late, deliveries are not concerned",
      isLiftedByMore: false,
    },
    {
      what: `deliverers, of which ${partitions} share the partitions at most`,
      callsPerSecond: (partitions * deliverer) / perCall,
      remedy: "more partitions, which a deployment has from its beginning",
      isLiftedByMore: false,
    },
    {
      what: `brokers, ${kafka.brokers} of ${ASSUMED.coresPerBroker} cores`,
      callsPerSecond: kafka.brokers * ASSUMED.coresPerBroker * ASSUMED.brokerUtilisation * scale,
      remedy: "more brokers, and partitions moved onto them",
      isLiftedByMore: true,
    },
    ...(["ingest", "webhook-router", "deliverer"] as const).map((name) => ({
      what: `${name}, ${services[name].processes} processes`,
      callsPerSecond:
        (services[name].processes * ASSUMED.utilisation * load.callsPerSecond) / services[name].cores,
      remedy: "more processes",
      isLiftedByMore: true,
    })),
  ];
  if (hasAudiences)
    limits.push({
      what: `audience-processor, ${services["audience-processor"].processes} processes`,
      callsPerSecond:
        services["audience-processor"].processes * ASSUMED.utilisation * AUDIENCE_CALLS_PER_CORE,
      remedy: "more processes",
      isLiftedByMore: true,
    });
  return limits.toSorted((a, b) => a.callsPerSecond - b.callsPerSecond);
}

function threadsText(threads: number): string {
  return threads === 0 ? "in its own thread" : `in ${threads} threads`;
}

/**
 * The limit of a single destination: its calls are spread over a fixed number of partitions, which one
 * process each may own.
 */
export function destinationLimit(): Limit {
  return {
    what: `one destination, spread over ${DEFAULT_SHARD_WIDTH} partitions`,
    callsPerSecond: DEFAULT_SHARD_WIDTH * perCore(MEASURED_MICROS.deliverer.micros),
    remedy: "its option `shards`",
    isLiftedByMore: false,
  };
}
