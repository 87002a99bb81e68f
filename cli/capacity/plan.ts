// The resources that a load needs. Pure sums; docs/operate/scaling.md says them in words.
import type { ServiceName } from "#contract";
import { KEPT_MS } from "#topics";
import {
  ASSUMED,
  AUDIENCE_CALLS_PER_CORE,
  DUPLICATE_WINDOW_BYTES,
  INDEX_MAX_ROWS,
  INDEXED_ROW_BYTES,
  MAX_INDEX_THREADS,
  MEASURED_MEMORY,
  MEASURED_MICROS,
  RECORD_OVERHEAD_BYTES,
  STATISTICS_ROWS,
  STORED_SHARE,
} from "./figures.ts";

export interface Load {
  /** The rate at the peak. */
  readonly callsPerSecond: number;
  /** Over the day, for what is kept. */
  readonly averageCallsPerSecond: number;
  /** All that are configured. */
  readonly destinations: number;
  /** The number of destinations that one call goes to. */
  readonly destinationsPerCall: number;
  readonly callBytes: number;
  readonly hasAudiences: boolean;
  readonly replicationFactor: number;
}

interface ServicePlan {
  /** The cores in use at the peak. */
  readonly cores: number;
  /** One core each. */
  readonly processes: number;
  /** The memory of each process; null where it does not grow with destinations. */
  readonly memoryBytes: number | null;
  /** The disk space of all processes together. */
  readonly diskBytes: number;
}

interface BrokerPlan {
  readonly brokers: number;
  readonly cores: number;
  /** The disk space of all brokers, copies included, with room. */
  readonly diskBytes: number;
  /** The writes of all brokers at the peak, copies included. */
  readonly writtenBytesPerSecond: number;
}

export interface Capacity {
  readonly services: Readonly<Record<ServiceName, ServicePlan>>;
  readonly partitions: number;
  /** HOOKLINE_INDEX_THREADS of control: 0 while its own thread is enough. */
  readonly indexThreads: number;
  readonly kafka: BrokerPlan;
}

const SECONDS_PER_DAY = 86_400;
const PARTITION_STEP = 12;
const MIB_1 = 2 ** 20;

export function capacityOf(load: Load): Capacity {
  const services = servicesOf(load);
  const partitions = partitionsOf(services);
  const indexThreads = Math.min(threadsOf(services.control.cores), partitions, MAX_INDEX_THREADS);
  return { services, partitions, indexThreads, kafka: brokersOf(load) };
}

/** One core each, used as those of processes are. */
function threadsOf(cores: number): number {
  const threads = processesOf(cores, 1);
  return threads === 1 ? 0 : threads;
}

/** A process uses one core, of which `ASSUMED.utilisation` is planned with; two at least, so that one can go. */
function processesOf(cores: number, least = 2): number {
  return Math.max(least, Math.ceil(cores / ASSUMED.utilisation));
}

function servicesOf(load: Load): Capacity["services"] {
  const { callsPerSecond, averageCallsPerSecond, destinationsPerCall, destinations, hasAudiences } = load;
  const deliveries = callsPerSecond * destinationsPerCall;
  const ingest = coresOf(callsPerSecond, MEASURED_MICROS.ingest.micros);
  // Measured with one job a call; each further job counts as a whole call.
  const router = coresOf(Math.max(callsPerSecond, deliveries), MEASURED_MICROS.webhookRouter.micros);
  const deliverer = coresOf(deliveries, MEASURED_MICROS.deliverer.micros);
  const audiences = hasAudiences ? callsPerSecond / AUDIENCE_CALLS_PER_CORE : 0;
  const control = coresOf(deliveries, MEASURED_MICROS.control.micros);
  return {
    ingest: { cores: ingest, processes: processesOf(ingest), memoryBytes: null, diskBytes: 0 },
    "webhook-router": {
      cores: router,
      processes: processesOf(router),
      memoryBytes: memoryOf(MEASURED_MEMORY.webhookRouter, destinations),
      diskBytes: averageCallsPerSecond * SECONDS_PER_DAY * DUPLICATE_WINDOW_BYTES,
    },
    deliverer: {
      cores: deliverer,
      processes: processesOf(deliverer),
      memoryBytes: memoryOf(MEASURED_MEMORY.deliverer, destinations),
      diskBytes: 0,
    },
    "audience-processor": {
      cores: audiences,
      processes: hasAudiences ? processesOf(audiences) : 0,
      memoryBytes: null,
      diskBytes: 0,
    },
    // Each process of control reads all of it, so more of them carry no more; its threads do.
    control: {
      cores: control,
      processes: 1,
      memoryBytes: null,
      diskBytes: indexBytes(load),
    },
  };
}

function indexBytes({ averageCallsPerSecond, destinations, destinationsPerCall }: Load): number {
  const calls = averageCallsPerSecond * SECONDS_PER_DAY;
  const deliveries = calls * destinationsPerCall;
  const statistics = destinations * STATISTICS_ROWS;
  const rows = [
    calls * daysOf(KEPT_MS.routedCalls),
    deliveries * ASSUMED.failedShare * daysOf(KEPT_MS.deliveryAttempts),
    deliveries * ASSUMED.deadShare * daysOf(KEPT_MS.deadLetters),
    // Totals, flow and names.
    ...[statistics, statistics, statistics],
  ];
  return rows.reduce((sum, each) => sum + Math.min(each, INDEX_MAX_ROWS), 0) * INDEXED_ROW_BYTES;
}

function coresOf(perSecond: number, micros: number): number {
  return (perSecond * micros) / 1e6;
}

function memoryOf({ few, million }: { few: number; million: number }, destinations: number): number {
  return Math.ceil((few + ((million - few) * destinations) / 1e6) / MIB_1) * MIB_1;
}

/** Twice the processes of the service with the most, as partitions cannot be added later; in steps of 12, which 2, 3, 4 and 6 divide. */
function partitionsOf(services: Capacity["services"]): number {
  const { deliverer, "webhook-router": router, "audience-processor": audiences } = services;
  const most = Math.max(deliverer.processes, router.processes, audiences.processes);
  return Math.max(1, Math.ceil((2 * most) / PARTITION_STEP)) * PARTITION_STEP;
}

function brokersOf(load: Load): BrokerPlan {
  const { callsPerSecond, destinationsPerCall, replicationFactor } = load;
  const copies = 1 + (replicationFactor - 1) * ASSUMED.followerShare;
  // Measured with two records a call, one in calls and one in delivery-jobs.
  const records = (1 + destinationsPerCall) / 2;
  const cores = coresOf(callsPerSecond * records, MEASURED_MICROS.broker.micros) * copies;
  const forCores = Math.ceil(cores / (ASSUMED.coresPerBroker * ASSUMED.brokerUtilisation));
  const bytes = storedBytes(load);
  const diskBytes = (keptBytes(load) * replicationFactor) / ASSUMED.diskUtilisation;
  return {
    brokers: Math.max(replicationFactor, forCores, Math.ceil(diskBytes / ASSUMED.diskBytesPerBroker)),
    cores,
    diskBytes,
    writtenBytesPerSecond:
      callsPerSecond * (1 + destinationsPerCall + (load.hasAudiences ? 1 : 0)) * bytes * replicationFactor,
  };
}

function storedBytes({ callBytes }: Load): number {
  return (callBytes + RECORD_OVERHEAD_BYTES) * STORED_SHARE;
}

/** One copy of what the topics that grow with calls keep; the others are small beside it. */
function keptBytes(load: Load): number {
  const { averageCallsPerSecond, destinationsPerCall, hasAudiences } = load;
  const days =
    daysOf(KEPT_MS.calls) +
    daysOf(KEPT_MS.deliveryJobs) * destinationsPerCall +
    daysOf(KEPT_MS.deadLetters) * destinationsPerCall * ASSUMED.deadShare +
    (hasAudiences ? daysOf(KEPT_MS.profileEvents) : 0);
  return averageCallsPerSecond * SECONDS_PER_DAY * storedBytes(load) * days;
}

function daysOf(keptMs: number): number {
  return keptMs / (SECONDS_PER_DAY * 1_000);
}
