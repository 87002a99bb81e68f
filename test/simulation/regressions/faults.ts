import type { Feature } from "../plan/draw-more.ts";
import type { SizeName } from "../plan/size.ts";
import type { Worlds } from "../plan/worlds.ts";

/** One place in the code, as it is and as it was with the fault. */
interface Edit {
  readonly file: string;
  readonly now: string;
  readonly before: string;
}

/** A fault that was in the code once, and how the simulation finds it when it is back. */
export interface KnownFault {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The laws that it breaks, one of these at least. */
  readonly breaks: readonly string[];
  /** Steady deliveries unless given. */
  readonly worlds?: Worlds;
  /** Of the worlds that show it; undefined: as each seed decides. */
  readonly size?: SizeName;
  /** What the worlds have that show it, of those of deliveries. */
  readonly having?: Feature;
  /** Showed it when it was last looked for. A later one may show it first, as any change of the code may move what a seed meets. */
  readonly firstSeed: number;
}

const LOST = "every stored call is delivered or a dead letter";
const PASSED = "no commit passes a job that is not settled";
const STANDSTILL = "everything is through in time";
const BACK = "no commit goes back";
const DOUBLE = "a double only for what was not committed";
const COUNTER = "counters return to zero";
const ERROR = "no error that no fault explains";

export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    name: "a wake cursor covers jobs that the topic's reader has in hand",
    edits: [
      {
        file: "services/deliverer/waking/partition-pass.ts",
        now: "this.#readerJobs = [...parts.readerJobs.of(bounds)];",
        before: "this.#readerJobs = [];",
      },
      {
        file: "services/deliverer/waking/partition-pass.ts",
        now: "if (this.#isReaders(record) || !progress.take(record.offset)) return;",
        before: "if (!progress.take(record.offset)) return;",
      },
    ],
    breaks: [LOST, PASSED],
    firstSeed: 396,
  },
  {
    // Its other half is below the seam: a session that has no batch yet says that it has sent what it was asked to.
    name: "a commit that was never sent counts as done",
    edits: [
      {
        file: "packages/kafka/consuming/group-reader.ts",
        now: "!this.#handOver.isJoining && ((await this.#supervisor.session?.commit(positions)) ?? false),",
        before:
          "!this.hasBatch || (!this.#handOver.isJoining && ((await this.#supervisor.session?.commit(positions)) ?? false)),",
      },
      {
        file: "packages/kafka/consuming/group-reader.ts",
        now: "this.#partitionReaders.at(batch)?.offer(batch);",
        before: "this.hasBatch = true; this.#partitionReaders.at(batch)?.offer(batch);",
      },
      {
        file: "packages/kafka/consuming/group-reader.ts",
        now: "const { assigned } = join;",
        before: "const { assigned } = join; this.hasBatch = false;",
      },
    ],
    breaks: [STANDSTILL],
    size: "large",
    firstSeed: 198,
  },
  {
    name: "the committed offset goes backwards",
    edits: [
      {
        file: "packages/kafka/consuming/place.ts",
        now: "return this.#isKnown ? this.#tracker.committable : undefined;",
        before: "return this.#tracker.committable;",
      },
      {
        file: "packages/kafka/consuming/partition-reader.ts",
        now: "parts.onSettled();\n      this.#leaveWhenIdle();",
        before: "parts.onSettled();",
      },
    ],
    breaks: [BACK, DOUBLE, PASSED],
    worlds: "deliveries",
    firstSeed: 912,
  },
  {
    name: "batches of an earlier generation are handed on",
    edits: [
      {
        file: "packages/kafka/consuming/group-reader.ts",
        now: "if (this.#isStopping || batch.generation !== this.#generations.current) return;",
        before: "if (this.#isStopping) return;",
      },
    ],
    breaks: [PASSED, LOST, BACK, ERROR, DOUBLE],
    worlds: "deliveries",
    size: "large",
    firstSeed: 10_000,
  },
  {
    name: "dead letters that were counted are dropped with their partition",
    edits: [
      {
        file: "services/control/deliveries/health/dead-letter-counts.ts",
        now: "waiting?.first.giveBack();",
        before: "",
      },
    ],
    breaks: [STANDSTILL],
    size: "large",
    firstSeed: 899,
  },
  {
    name: "a replay is handed over without how far it came",
    edits: [
      {
        file: "services/control/jobs/replays/worker.ts",
        now: "if (signal.aborted) await save.now(replay);",
        before: "",
      },
    ],
    breaks: ["a replay sends a letter once"],
    size: "large",
    firstSeed: 6755,
  },
  {
    // Its other half was in how openings were counted: the reader handed calls on while the window of a later term was opened.
    name: "calls that wait for a duplicate window are dropped when their partition goes",
    edits: [
      {
        file: "services/webhook-router/partition-dedupe.ts",
        now: "for (const waiting of this.#waiting.splice(0)) waiting.giveBack();",
        before: "this.#waiting.length = 0;",
      },
      {
        file: "services/webhook-router/dedupe-windows.ts",
        now: "await rebuilds.run(() => dedupe.open());",
        before: "void rebuilds.run(() => dedupe.open());",
      },
    ],
    breaks: [STANDSTILL, LOST, COUNTER],
    size: "large",
    firstSeed: 60,
  },
  {
    name: "one refused write ends a waking pass for ever",
    edits: [
      {
        file: "services/deliverer/waking/partition-pass.ts",
        now: "void untilWritten(this.#parts, produce, over, this.#ownership).then((isWritten) => {\n        if (!isWritten) return giveBack?.();",
        before: "void (produce.length === 0 ? Promise.resolve() : this.#parts.write(produce)).then(() => {",
      },
      {
        file: "services/deliverer/waking/partition-pass.ts",
        now: "progress.durable(record.offset, { isBack: produce.length > 0 && !isGone });\n        over();\n      });",
        before:
          "progress.durable(record.offset, { isBack: produce.length > 0 && !isGone });\n        over();\n      }, () => undefined);",
      },
    ],
    breaks: [STANDSTILL, LOST, COUNTER],
    size: "large",
    firstSeed: 704,
  },
];
