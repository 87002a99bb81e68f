// The figures that capacity is computed from. Those that docs/operate/performance.md shows are the same here;
// a test compares the two.

/** Microseconds of one core, by the row of docs/operate/performance.md that has it. Single track calls of 0.7 KB to one destination, at full load. */
export const MEASURED_MICROS = {
  ingest: { row: "of it ingest", micros: 50 },
  webhookRouter: { row: "of it webhook-router", micros: 35 },
  deliverer: { row: "of it deliverer", micros: 50 },
  control: { row: "of it control", micros: 6 },
  broker: { row: "of it Kafka", micros: 40 },
} as const;

/** Calls a second that one core of the audience processor carries, both steps; docs/operate/performance.md, "audience processor on Kafka". */
export const AUDIENCE_CALLS_PER_CORE = 16_500;

const MEBIBYTE = 2 ** 20;

/** Resident memory of one process with 10 and with 1,000,000 destinations (`npm run bench -- scale`). */
export const MEASURED_MEMORY = {
  webhookRouter: { few: 240 * MEBIBYTE, million: 764 * MEBIBYTE },
  deliverer: { few: 227 * MEBIBYTE, million: 699 * MEBIBYTE },
} as const;

/** Bytes of the router's disk for each call of the last 24 hours (decision 8). */
export const DUPLICATE_WINDOW_BYTES = 54;

/** Microseconds of control's own thread for each request that it lists; docs/operate/performance.md, "control's index" has 18.2 of them. */
export const LISTED_ATTEMPT_MICROS = 20;

/** The largest HOOKLINE_INDEX_THREADS. */
export const MAX_INDEX_THREADS = 64;

/** Bytes of control's disk for each row of its index (decision 81). */
export const INDEXED_ROW_BYTES = 600;

/** The default of HOOKLINE_INDEX_MAX_ROWS: each table of the index keeps so many at most. */
export const INDEX_MAX_ROWS = 2_000_000;

/** Steps of statistics of a destination that is always busy: minutes of two days, hours of 31, days of 400. */
export const STATISTICS_ROWS = 4_000;

/**
 * The part of a record that Kafka keeps after zstd when a batch holds one alone: 593 of 865 bytes. With four
 * in a batch 239, with ten 161.
 */
export const STORED_SHARE = 0.7;

/** Bytes of a record beside the call's own. */
export const RECORD_OVERHEAD_BYTES = 165;

/** Assumptions: nothing of these was measured. */
export const ASSUMED = {
  /**
   * The share of a core that is planned for, so that a process can go while the others carry its share, and a
   * backlog can be drained.
   */
  utilisation: 0.6,
  /** The share of a broker's core for each further copy of a record, against the copy of the leader. */
  followerShare: 0.5,
  coresPerBroker: 8,
  diskBytesPerBroker: 16e12,
  /** The share of a broker's cores, and of disks, that is planned for. */
  brokerUtilisation: 0.5,
  diskUtilisation: 0.7,
  /**
   * The share of deliveries that fail; each is an attempt that is listed, and half a percent a dead letter.
   */
  failedShare: 0.05,
  deadShare: 0.005,
} as const;
