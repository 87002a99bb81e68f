import { setting, settingsGroup, value } from "#runtime";

export const indexSettings = settingsGroup({
  title: "Delivery index",
  settings: {
    maxRows: setting({
      env: "HOOKLINE_INDEX_MAX_ROWS",
      type: value.integer({ min: 1_000, max: 1_000_000_000 }),
      default: "2000000",
      doc: "How many attempts can be looked up, and as many statistics, dead letters and recorded calls; the oldest leave first. About 600 bytes of disk each.",
    }),
    threads: setting({
      env: "HOOKLINE_INDEX_THREADS",
      type: value.integer({ min: 0, max: 64 }),
      default: "0",
      doc: "Threads that share recorded calls by partition, each with a core, 55 MiB of memory, a file and a connection to Kafka of its own; 0: the process's own thread does it. Another number builds the index again.",
    }),
  },
});
