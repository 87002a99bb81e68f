import type { KnownFault } from "./faults.ts";

const LOST = "every stored call is delivered or a dead letter";
const STANDSTILL = "everything is through in time";
const COPY = "a copy of a call is not routed";
const WAITING = "what waits is what deliverers have not done";
const DELIVERED = "what counts as delivered was delivered";
const DOUBLE = "a double only for what was not committed";

/**
 * Faults that were never in the code: one line of it written otherwise each, none of which a simulation found before its worlds drew what it
 * takes, or a law asked for it.
 */
export const ONE_EDIT_FAULTS: readonly KnownFault[] = [
  {
    name: "one record too many counts as seen after a rewind",
    edits: [
      {
        file: "packages/kafka/consuming/tracker.ts",
        now: "    this.#next = record.offset;\n    return true;",
        before: "    this.#next = record.offset + 1;\n    return true;",
      },
    ],
    breaks: [LOST, "no commit passes a call that is not recorded"],
    worlds: "deliveries",
    firstSeed: 137,
  },
  {
    name: "the reader of a lost partition is forgotten with work in its hand",
    edits: [
      {
        file: "packages/kafka/consuming/partition-readers.ts",
        now: "for (const partition of partitions) this.at(partition)?.drop();",
        before:
          "for (const partition of partitions) {\n      this.at(partition)?.drop();\n      this.#partitionReaders.delete(keyOf(partition));\n    }",
      },
    ],
    breaks: [STANDSTILL],
    worlds: "deliveries",
    firstSeed: 23,
  },
  {
    name: "a partition with requests under way moves at once",
    edits: [
      {
        file: "packages/kafka/consuming/release.ts",
        now: "return [...this.#parts.busy()].filter(",
        before: "return [...new Set<number>()].filter(",
      },
    ],
    breaks: [DOUBLE],
    firstSeed: 61,
  },
  {
    name: "a call waits in the topic of another delay",
    edits: [
      {
        file: "services/deliverer/job/records.ts",
        now: "topics.deliveryRetries[tier];",
        before: "topics.deliveryRetries[0];",
      },
    ],
    breaks: ["a waiting job comes out within its topic's delay"],
    worlds: "deliveries",
    firstSeed: 1,
  },
  {
    name: "a duplicate window says that it has noted one call more",
    edits: [
      {
        file: "packages/state/partition-window.ts",
        now: "    this.#reached = offset;\n",
        before: "    this.#reached = offset + 1;\n",
      },
    ],
    breaks: [COPY],
    worlds: "deliveries",
    firstSeed: 565,
  },
  {
    name: "a duplicate window is made anew from a part of its time",
    edits: [
      {
        file: "services/webhook-router/catch-up.ts",
        now: "endsAtMs - windowMs",
        before: "endsAtMs - windowMs / 24",
      },
    ],
    breaks: [COPY],
    worlds: "deliveries",
    firstSeed: 10,
  },
  {
    name: "a destination is gone because the table has not read of it",
    edits: [
      {
        file: "services/deliverer/destinations.ts",
        now: "      await readToEnd().catch(() => Promise.withResolvers<never>().promise);\n",
        before: "",
      },
    ],
    breaks: ["every dead letter's reason holds"],
    worlds: "deliveries",
    firstSeed: 817,
  },
  {
    name: "a call is dropped after a look that had begun before it came",
    edits: [
      {
        file: "services/webhook-router/confirmations.ts",
        now: "if (head.looks >= looks && !head.isKept()) return;",
        before: "if (head.looks > looks && !head.isKept()) return;",
      },
    ],
    breaks: [LOST],
    worlds: "deliveries",
    having: "lateDestinations",
    firstSeed: 11304,
  },
  {
    name: "a job that was given back counts as durable",
    edits: [
      { file: "services/deliverer/waking/reader-jobs.ts", now: "leave(false);", before: "leave(true);" },
    ],
    breaks: [LOST, "no commit passes a job that is not settled"],
    worlds: "deliveries",
    firstSeed: 3559,
  },
  {
    name: "a reader that is stopped does not commit what it has done",
    edits: [
      {
        file: "packages/kafka/consuming/group-reader.ts",
        now: "    await withinMs(this.#committer.commitLast(LAST_COMMIT_WITHIN_MS), LAST_COMMIT_WITHIN_MS, host);\n",
        before: "",
      },
    ],
    breaks: ["nothing is sent again after a clean stop"],
    worlds: "deliveries",
    firstSeed: 1807,
  },
  {
    name: "what was committed before a rebalance counts as committed after it",
    edits: [
      {
        file: "packages/kafka/consuming/committer.ts",
        now: "    this.#committed = new Map();\n    this.#clearTimer();",
        before: "    this.#clearTimer();",
      },
    ],
    breaks: [STANDSTILL],
    worlds: "deliveries",
    firstSeed: 146,
  },
  {
    name: "a replay of calls does not look at what waits",
    edits: [
      {
        file: "services/control/jobs/replays/settled-calls.ts",
        now: " || pending.has(jobKey(job))",
        before: "",
      },
    ],
    breaks: ["a replay of calls sends what it means and nothing else"],
    worlds: "deliveries",
    firstSeed: 56,
  },
  {
    name: "the record of a call is written together with its jobs",
    edits: [
      {
        file: "services/webhook-router/route-calls.ts",
        now: "settle({ produce, produceAfter: said });",
        before: "settle({ produce: said === undefined ? produce : [...produce, said] });",
      },
    ],
    breaks: [DELIVERED],
    worlds: "deliveries",
    having: "callReplays",
    firstSeed: 802,
  },
  {
    name: "what deliverers have done beyond their commits is counted as waiting",
    edits: [
      {
        file: "services/control/deliveries/waiting/stretches.ts",
        now: "return { place, topicName, toOffset: high, isDone };",
        before: "return { place, topicName, toOffset: high, isDone: isDone && (() => false) };",
      },
    ],
    breaks: [WAITING],
    firstSeed: 1,
  },
  {
    name: "what deliverers say they have done of a retry is not all read",
    edits: [
      {
        file: "services/control/resources/destinations/retry-requests.ts",
        now: "of done.places) known",
        before: "of done.places.slice(1)) known",
      },
    ],
    breaks: ["a retry is said to be done when it is"],
    worlds: "deliveries",
    having: "wishes",
    firstSeed: 35,
  },
];
