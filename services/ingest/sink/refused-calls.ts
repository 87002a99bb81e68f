// Tells whoever watches a source which of its calls were not taken (decision 81). Nothing waits for it, and nothing is lost with it
// that its caller was not told.
import type { Rejection } from "#contract";
import type { RefusedCalls } from "#topics";
import type { IndexedRejection, Refusal } from "../refusal.ts";

export interface RefusedCallsLog {
  /** One request of a source was refused. When ingest has no room or no Kafka nothing is told: its source has nothing to mend. */
  refused(sourceId: string, refusal: Refusal): void;
  /** A batch was taken but for these. */
  rejected(sourceId: string, rejections: readonly IndexedRejection[]): void;
}

export interface RefusedCallsOptions {
  write(record: RefusedCalls): void;
  nowMs(): number;
  /** Records a second, of all sources together; of the rest only the number is told. */
  readonly recordsPerSecond?: number;
}

/** A misconfigured SDK sends nothing but refused calls, and as many as others: a sample says what is wrong. */
const RECORDS_PER_SECOND = 50;
/** Of one source, so that one that sends only such calls leaves room for the others. */
const RECORDS_OF_SOURCE_PER_SECOND = 10;
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_SOURCES = 1_000;

interface SourceCount {
  second: number;
  records: number;
  leftOut: number;
}

type Refused = Pick<RefusedCalls, "code" | "message" | "calls" | "index">;

export function createRefusedCalls(options: RefusedCallsOptions): RefusedCallsLog {
  const { nowMs, recordsPerSecond = RECORDS_PER_SECOND, write } = options;
  const sources = new Map<string, SourceCount>();
  const all = { second: 0, records: 0 };

  function countOf(sourceId: string): SourceCount {
    const known = sources.get(sourceId);
    if (known !== undefined) return known;
    if (sources.size >= MAX_SOURCES) sources.delete(sources.keys().next().value ?? "");
    const count = { second: 0, records: 0, leftOut: 0 };
    sources.set(sourceId, count);
    return count;
  }

  function tell(sourceId: string, refused: Refused): void {
    const atMs = nowMs();
    const second = Math.floor(atMs / 1_000);
    const count = countOf(sourceId);
    for (const each of [all, count]) {
      if (each.second !== second) Object.assign(each, { second, records: 0 });
    }
    if (all.records >= recordsPerSecond || count.records >= RECORDS_OF_SOURCE_PER_SECOND) {
      count.leftOut += refused.calls;
      return;
    }
    all.records += 1;
    count.records += 1;
    const { leftOut } = count;
    count.leftOut = 0;
    const message = refused.message.slice(0, MAX_MESSAGE_CHARACTERS);
    write({ ...refused, message, sourceId, atMs, leftOut });
  }

  function rejected(sourceId: string, rejections: readonly IndexedRejection[]): void {
    for (const one of byCode(rejections)) tell(sourceId, one);
  }

  return {
    rejected,
    refused(sourceId, refusal) {
      if (refusal.kind === "invalid" && refusal.rejected !== undefined) rejected(sourceId, refusal.rejected);
      else if (refusal.kind === "invalid") tell(sourceId, { ...whole(refusal.rejection), index: null });
      else if (refusal.kind === "rate_limited") tell(sourceId, { ...RATE_LIMITED, calls: 1, index: null });
    },
  };
}

const RATE_LIMITED = { code: "rate_limited", message: "the source sends more calls than it may" };

const whole = ({ code, message }: Rejection) => ({ code, message, calls: 1 });

/** One for each code, by the first call that has it. */
function byCode(rejections: readonly IndexedRejection[]): readonly Refused[] {
  const found = new Map<string, Refused>();
  for (const { index, code, message } of rejections) {
    const known = found.get(code);
    found.set(
      code,
      known === undefined ? { code, message, calls: 1, index } : { ...known, calls: known.calls + 1 },
    );
  }
  return [...found.values()];
}
