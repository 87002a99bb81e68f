import { UNITS_MS } from "#contract";

const { d: DAY_MS, h: HOUR_MS } = UNITS_MS;

/** As long as ingest's calls may wait for a router that is away. */
const CALLS_KEPT_MS = 3 * DAY_MS;

/** How long each topic keeps its records. Compacted topics are not here: they keep the newest record of each key. */
export const KEPT_MS = {
  calls: CALLS_KEPT_MS,
  /**
   * Delivered or not. Deliverers may be away as long as routers: a job that was kept for less than its call would be lost although the
   * call is there.
   */
  deliveryJobs: CALLS_KEPT_MS,
  /** What was asked for means calls that waited then; none of their records is there for longer. */
  retryRequests: CALLS_KEPT_MS,
  /** As long as the attempts, which the view of a call has beside them. */
  routedCalls: 7 * DAY_MS,
  deliveryAttempts: 7 * DAY_MS,
  deliveryTotals: 7 * DAY_MS,
  deadLetters: 14 * DAY_MS,
  /** As the calls that were taken: an index that is created again counts both. */
  refusedCalls: 7 * DAY_MS,
  /** A month of hours, and the days until one is written (decision 129). */
  hourlyStats: 35 * DAY_MS,
  /** Thirteen months. */
  dailyStats: 400 * DAY_MS,
  operationalEvents: DAY_MS,
  /** An open breaker is written with each of its probes, which are at most as far apart as the longest retry delay. */
  endpointBreakers: DAY_MS,
  auditLog: 90 * DAY_MS,
  /** A key counts for a day; its first record has to outlive that. */
  requestKeys: 25 * HOUR_MS,
  /** Unless HOOKLINE_PROFILE_EVENTS_RETENTION says otherwise. */
  profileEvents: 90 * DAY_MS,
  /** An import that is held can be confirmed for so long. */
  membershipImportRows: 7 * DAY_MS,
} as const;

/** Sizes of audiences, by day: 13 months. */
export const AUDIENCE_SIZES_KEPT_MS = 396 * DAY_MS;

/** Of compacted topics: the longest that a table or a changelog's reader may be away without missing a deletion. */
export const TOMBSTONES_KEPT_MS = 7 * DAY_MS;
