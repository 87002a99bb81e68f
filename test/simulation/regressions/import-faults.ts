import type { KnownFault } from "./faults.ts";

const ORDER = "imports of one list end in their order";
const LISTED = "who is on a list is so by its imports";
const SUPPRESSED = "an import leaves suppressed users as they are";

const WORKER = "services/control/jobs/imports/worker.ts";

/** Faults that were never in the code: one place of it written otherwise each, of what control does about uploaded lists. */
export const IMPORT_FAULTS: readonly KnownFault[] = [
  {
    name: "an import does not wait for the one before it",
    edits: [{ file: WORKER, now: "  await work.queue.untilOlderHaveEnded(found, signal);\n", before: "" }],
    breaks: [ORDER, LISTED],
    worlds: "members",
    firstSeed: 42,
  },
  {
    name: "an import is compared with profiles of before the one before it",
    edits: [{ file: WORKER, now: "  await work.untilUpToDate(signal);\n", before: "" }],
    breaks: [LISTED],
    worlds: "members",
    firstSeed: 53,
  },
  {
    name: "an import says how far it is before it is there",
    edits: [
      {
        file: WORKER,
        now: "    await writeAll(one, changes, { work, signal });\n    written += changes.length;\n    if (work.host.elapsed() - savedAtMs < PROGRESS_EVERY_MS) return;\n    await save({ written, rowsDone, partitionsDone });\n",
        before:
          "    written += changes.length;\n    await save({ written, rowsDone, partitionsDone });\n    await writeAll(one, changes, { work, signal });\n",
      },
    ],
    breaks: [LISTED],
    worlds: "members",
    firstSeed: 30,
  },
  {
    name: "an import puts suppressed users on its list",
    edits: [
      {
        file: "services/control/jobs/imports/differences.ts",
        now: "      if (this.#parts.isSuppressed(userId)) suppressed += 1;\n      else if (",
        before: "      if (",
      },
    ],
    breaks: [SUPPRESSED],
    worlds: "members",
    firstSeed: 32,
  },
];
