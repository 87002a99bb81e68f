/** As the product's: fetch-pace.ts. */
const PLENTY_RECORDS = 200;
const UNHURRIED_EVERY_MS = 200;
const WAIT_FOR_SOME_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** How long the client lets a broker hold a fetch. */
export function fetchWaitMs(asksForAll: boolean, heartbeatInMs: number): number {
  if (!asksForAll) return WAIT_FOR_SOME_MS;
  return Math.min(Math.max(heartbeatInMs, WAIT_FOR_SOME_MS), LONGEST_WAIT_MS);
}

/** What one partition's answer brought. */
interface FetchedRecords {
  readonly topic: string;
  readonly records: readonly unknown[];
}

/** How soon a consumer asks one broker again, and what of. */
export class FetchPace {
  readonly #unhurriedTopics: ReadonlySet<string>;
  readonly #pauseMs: () => number;
  #notBeforeMs = 0;
  #unhurriedNotBeforeMs = 0;

  constructor(unhurriedTopics: ReadonlySet<string>, pauseMs: () => number) {
    this.#unhurriedTopics = unhurriedTopics;
    this.#pauseMs = pauseMs;
  }

  get notBeforeMs(): number {
    return this.#notBeforeMs;
  }

  get unhurriedNotBeforeMs(): number {
    return this.#unhurriedNotBeforeMs;
  }

  isUnhurried(topic: string): boolean {
    return this.#unhurriedTopics.has(topic);
  }

  isUnhurriedDue(nowMs: number): boolean {
    return nowMs >= this.#unhurriedNotBeforeMs;
  }

  fetched(answer: readonly FetchedRecords[], nowMs: number): void {
    let records = 0;
    let unhurried = 0;
    for (const { topic, records: ofPartition } of answer) {
      records += ofPartition.length;
      if (this.isUnhurried(topic)) unhurried += ofPartition.length;
    }
    this.#notBeforeMs = records === 0 || records >= PLENTY_RECORDS ? 0 : nowMs + this.#pauseMs();
    if (this.isUnhurriedDue(nowMs))
      this.#unhurriedNotBeforeMs = unhurried >= PLENTY_RECORDS ? 0 : nowMs + UNHURRIED_EVERY_MS;
  }
}
