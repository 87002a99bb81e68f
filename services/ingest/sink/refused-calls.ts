// Shows which calls of a source were refused (decision 81). Nothing waits for these records. Losing one loses
// nothing that its caller was not told.
import type { Rejection } from "#contract";
import type { Host } from "#host";
import type { RefusedCalls } from "#topics";
import type { RefusedBody } from "../judging/refused-body.ts";
import type { IndexedRejection, Refusal } from "../refusal.ts";

/** The body of a call in its batch, or (null) of the request; undefined where there is none to keep. Asked for records that are written. */
type BodyOf = (index: number | null) => RefusedBody | undefined;

export interface RefusedCallsLog {
  /** One request of a source was refused. When ingest has no room or no Kafka nothing is told: its source has nothing to mend. */
  refused(sourceId: string, refusal: Refusal, bodyOf: BodyOf): void;
  /** A batch was taken but for these. */
  rejected(sourceId: string, rejections: readonly IndexedRejection[], bodyOf: BodyOf): void;
}

export interface RefusedCallsOptions {
  /** Rejects where the record was not written: its calls are told again. */
  write(record: RefusedCalls): Promise<void>;
  readonly host: Pick<Host, "setInterval">;
  nowMs(): number;
  /** Records a second, of all sources together; the rest is told by number. */
  readonly recordsPerSecond?: number;
}

/** A misconfigured SDK sends nothing but refused calls, and as many as others: a sample says what is wrong. */
const RECORDS_PER_SECOND = 50;
/** The bound for one source, so that one that sends only such calls leaves room for the others. */
const RECORDS_OF_SOURCE_PER_SECOND = 10;
/** Of bodies, which are kept for days: four of the largest of one source, twelve of all. At such a rate all the time a process writes 30 GB a week. */
const CHARACTERS_OF_SOURCE_PER_SECOND = 16_384;
const CHARACTERS_PER_SECOND = 49_152;
/** Interval of the records that count calls without a record of their own, one for each code: statistics count them all. */
const REST_EVERY_MS = 10_000;
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_SOURCES = 1_000;

type Refused = Pick<RefusedCalls, "code" | "message" | "calls" | "index">;

interface SecondCount {
  second: number;
  records: number;
  /** Of bodies. */
  characters: number;
}

interface SourceCount extends SecondCount {
  /** Calls that have no record yet, by code. */
  readonly rest: Map<string, Refused>;
}

export interface OpenRefusedCalls extends RefusedCallsLog {
  /** Tells the rest; to be called once, at the end. */
  stop(): Promise<void>;
}

export function createRefusedCalls(options: RefusedCallsOptions): OpenRefusedCalls {
  const { host, nowMs, recordsPerSecond = RECORDS_PER_SECOND } = options;
  const sources = new Map<string, SourceCount>();
  const all: SecondCount = { second: 0, ...NOTHING };

  function countOf(sourceId: string): SourceCount {
    const known = sources.get(sourceId);
    if (known !== undefined) return known;
    const [oldest] = sources.size < MAX_SOURCES ? [] : sources;
    if (oldest !== undefined) {
      sources.delete(oldest[0]);
      void tellRest(...oldest);
    }
    const count = { second: 0, ...NOTHING, rest: new Map<string, Refused>() };
    sources.set(sourceId, count);
    return count;
  }

  function keep({ rest }: SourceCount, { calls, code, message }: Refused): void {
    rest.set(code, { code, message, index: null, calls: calls + (rest.get(code)?.calls ?? 0) });
  }

  async function write(sourceId: string, refused: Refused, body?: RefusedBody): Promise<void> {
    const message = refused.message.slice(0, MAX_MESSAGE_CHARACTERS);
    try {
      await options.write({ ...refused, ...(body ?? NO_BODY), message, sourceId, atMs: nowMs(), leftOut: 0 });
    } catch {
      keep(countOf(sourceId), refused);
    }
  }

  /** Undefined where there is no room for it in this second. */
  function withinRoom(count: SourceCount, body: RefusedBody | undefined): RefusedBody | undefined {
    const characters = body?.body.length ?? 0;
    const isOfSource = count.characters + characters <= CHARACTERS_OF_SOURCE_PER_SECOND;
    if (!isOfSource || all.characters + characters > CHARACTERS_PER_SECOND) return undefined;
    for (const each of [all, count]) each.characters += characters;
    return body;
  }

  function tell(sourceId: string, refused: Refused, bodyOf: BodyOf): void {
    const second = Math.floor(nowMs() / 1_000);
    const count = countOf(sourceId);
    for (const each of [all, count]) {
      if (each.second !== second) Object.assign(each, { second, ...NOTHING });
    }
    if (all.records >= recordsPerSecond || count.records >= RECORDS_OF_SOURCE_PER_SECOND) {
      keep(count, refused);
      return;
    }
    all.records += 1;
    count.records += 1;
    void write(sourceId, refused, withinRoom(count, bodyOf(refused.index)));
  }

  async function tellRest(sourceId: string, { rest }: SourceCount): Promise<void> {
    const told = [...rest.values()];
    rest.clear();
    await Promise.all(told.map((one) => write(sourceId, one)));
  }

  async function tellAll(): Promise<void> {
    await Promise.all([...sources].map((source) => tellRest(...source)));
  }

  const timer = host.setInterval(() => void tellAll(), REST_EVERY_MS);

  function rejected(sourceId: string, rejections: readonly IndexedRejection[], bodyOf: BodyOf): void {
    for (const one of byCode(rejections)) tell(sourceId, one, bodyOf);
  }

  return {
    async stop() {
      timer.clear();
      await tellAll();
    },
    rejected,
    refused(sourceId, refusal, bodyOf) {
      if (refusal.kind === "invalid" && refusal.rejected !== undefined)
        rejected(sourceId, refusal.rejected, bodyOf);
      else if (refusal.kind === "invalid")
        tell(sourceId, { ...whole(refusal.rejection), index: null }, bodyOf);
      else if (refusal.kind === "rate_limited")
        tell(sourceId, { ...RATE_LIMITED, calls: 1, index: null }, () => undefined);
    },
  };
}

const NOTHING = { records: 0, characters: 0 };
const NO_BODY = { body: null, isBodyCut: false, userIds: null };

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
