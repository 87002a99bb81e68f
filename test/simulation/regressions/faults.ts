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
  readonly firstSeed: number;
  /** Found within so many seeds from there on; the stretch is short so that the test is. */
  readonly seeds: number;
}

const LOST = "every stored call is delivered or a dead letter";
const PASSED = "no commit passes a job that is not settled";
const BACK = "no commit goes back";
const DOUBLE = "a double only for what was not committed";
const ERROR = "no error that no fault explains";

export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    name: "the committed offset goes backwards",
    edits: [
      {
        file: "packages/kafka/place.ts",
        now: "return this.#isKnown ? this.#tracker.committable : undefined;",
        before: "return this.#tracker.committable;",
      },
      {
        file: "packages/kafka/lane.ts",
        now: "this.#parts.onSettled();\n    this.#leaveWhenIdle();",
        before: "this.#parts.onSettled();",
      },
    ],
    breaks: [BACK, DOUBLE, PASSED],
    firstSeed: 35,
    seeds: 20,
  },
  {
    name: "batches of an earlier generation are handed on",
    edits: [
      {
        file: "packages/kafka/group-reader.ts",
        now: "if (this.#isStopping || batch.generation !== this.#member?.generation) return;",
        before: "if (this.#isStopping) return;",
      },
    ],
    breaks: [PASSED, LOST, BACK, ERROR, DOUBLE],
    firstSeed: 1,
    seeds: 20,
  },
];
