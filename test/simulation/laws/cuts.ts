import type { TopicPartition } from "#kafka";
import type { Happening } from "../world/history.ts";
import { logName } from "./identity.ts";
import { law, onceOf, type Story, type Written } from "./story.ts";

type Record = Pick<Written<unknown>, "record" | "place">;

export type Cut = Extract<Happening, { kind: "cut" }> & { readonly place: number };

/** A process that says that a log ends before what it had read, or that another record stands where it had read one. */
interface Said extends TopicPartition {
  readonly process: string;
  readonly atMs: number;
  readonly fromOffset: number;
  readonly endOffset: number;
}

/** What a process says with it. */
interface Found extends TopicPartition {
  readonly seenUpTo: number;
  readonly nowAt: number;
}

export interface Cuts {
  /** An unclean election has lost it. */
  isCut(written: Record): boolean;
  /**
   * It stands where another one stood that its group had passed, and the log had grown to that place again before anybody of the group looked:
   * who goes on there has nothing to see it by, as offsets are all that a commit keeps (Kafka tells it by leader epochs, which are not asked for).
   * Or retention had removed it by then: who looks finds that the log was cut, and does not know what was in it in between.
   */
  isUnseen(written: Record): boolean;
  /** It stands where another one stood: who does not know yet that the log was cut, and commits that one, names its place. */
  isInAnothersPlace(written: Record): boolean;
  /** Something of its partition was lost after it was written, or before: it may be read again from a time before that. */
  isOfCutLog(written: Pick<Record, "record">): boolean;
  readonly said: readonly Said[];
}

/** As a process says it that asks for what is behind the end. */
const ENDS_BEFORE = "a partition's log ends before what was read: its end was lost, and it is read again";
/** As one says it that finds another record. */
const WAS_CUT = "a partition's log was cut; it is read again from there";

const CLOCKS_APART_MS = 10_000;

/** Who is told by Kafka that a log ends before what it had read. */
function endsBefore({ logs }: Pick<Story, "logs">): Said[] {
  return logs
    .filter(({ message }) => message === ENDS_BEFORE)
    .map(({ atMs, facts, process }) => ({ ...(facts as unknown as Said), process, atMs }));
}

/** All that was said of logs that were cut, in its order. */
export function saidOfCuts({ logs }: Pick<Story, "logs">): Said[] {
  const found = logs
    .filter(({ message }) => message === WAS_CUT)
    .map(({ atMs, facts, process }): Said => {
      const { topic, partition, seenUpTo, nowAt } = facts as unknown as Found;
      return { topic, partition, fromOffset: seenUpTo, endOffset: nowAt, process, atMs };
    });
  return [...endsBefore({ logs }), ...found].sort((one, other) => one.atMs - other.atMs);
}

/** What brokers have lost at the ends of their logs. */
export const cuts = onceOf((story): Cuts => {
  const all = story.happenings.flatMap((each, place): Cut[] =>
    each.kind === "cut" ? [{ ...each, place }] : [],
  );
  const byLog = Map.groupBy(all, ({ partition }) => logName(partition));
  const said = saidOfCuts(story);
  const older = new Map(all.map((cut) => [cut, isOlderByItsClock(story, cut)]));
  const growths = new Map(all.map((cut) => [cut, new Regrowth(cut, story, said)]));
  return {
    isCut: ({ place, record }) =>
      (byLog.get(logName(record)) ?? []).some((cut) => place < cut.place && cut.fromOffset <= record.offset),
    isUnseen: (written) =>
      (byLog.get(logName(written.record)) ?? []).some(
        (cut) => growths.get(cut)?.isUnseen(written) || older.get(cut)?.(written),
      ),
    isInAnothersPlace: ({ place, record }) =>
      (byLog.get(logName(record)) ?? []).some((cut) => place > cut.place && record.offset < cut.toOffset),
    isOfCutLog: ({ record }) => byLog.has(logName(record)),
    said,
  };
});

/** What followed on one cut, in its log. */
class Regrowth {
  readonly #cut: Cut;
  /** The last place that its group has committed as one that does not know of the cut, or has left of that, and when it did know. */
  #committed = 0;
  #known = Number.POSITIVE_INFINITY;
  /** The last place that its group has committed. */
  #newest = 0;
  readonly #appended: (readonly [offset: number, place: number])[] = [];
  readonly #removed: (readonly [below: number, place: number])[] = [];

  constructor(cut: Cut, { happenings }: Story, said: readonly Said[]) {
    const name = logName(cut.partition);
    const own = said.filter((each) => logName(each) === name && cut.atMs <= each.atMs);
    this.#cut = cut;
    for (const [place, each] of happenings.entries()) {
      if (each.kind === "appended" && place > cut.place && logName(each.record) === name)
        this.#appended.push([each.record.offset, place]);
      if (each.kind === "removed" && logName(each.partition) === name)
        this.#removed.push([each.below, place]);
      if (each.kind === "commits_lost" && logName(each.partition) === name) this.#lose(each.offset);
      if (each.kind !== "committed" || logName(each.partition) !== name) continue;
      this.#newest = each.offset;
      if (place > this.#known) continue;
      const knows =
        place > cut.place && each.offset < this.#committed && own.some(({ atMs }) => atMs <= each.atMs);
      if (knows) this.#known = place;
      else this.#committed = each.offset;
    }
  }

  /** What a coordinator has left of the group's commits. One that is further on than the newest was, is of before the cut: nobody knows any more. */
  #lose(offset: number): void {
    if (offset > this.#newest) this.#known = Number.POSITIVE_INFINITY;
    if (this.#known === Number.POSITIVE_INFINITY) this.#committed = Math.max(0, offset);
  }

  isUnseen({ place, record: { offset } }: Record): boolean {
    const { toOffset } = this.#cut;
    if (place < this.#cut.place || offset >= toOffset) return false;
    if (this.#removed.some(([below, at]) => offset < below && place < at && at < this.#known)) return true;
    const reading = offset < this.#committed ? this.#committed : toOffset;
    return this.#appended.some(([other, at]) => other + 1 >= reading && at < this.#known);
  }
}

/** What a log had before it was cut was written by a clock so far ahead that newer records seem older than the time from which it is read again (clocks are trusted to be 10 s apart). */
export function isOlderByItsClock(
  { happenings }: Pick<Story, "happenings">,
  cut: Cut,
): (written: Record) => boolean {
  const times = happenings
    .slice(0, cut.place)
    .flatMap((each) =>
      each.kind === "appended" && logName(each.record) === logName(cut.partition)
        ? each.record.timestampMs
        : [],
    );
  const newestMs = Math.max(0, ...times);
  return ({ place, record }) => place > cut.place && record.timestampMs < newestMs - CLOCKS_APART_MS;
}

/** A process says that a log was cut when it was, its counter says the same, and somebody says so of each whose group had read what is lost and not been passed by new records. */
export const cutsAreCounted = law(
  "what was lost at a log's end is counted, and nothing else",
  function* (story) {
    const { happenings, losses } = story;
    const all = happenings.filter((each) => each.kind === "cut");
    const said = endsBefore(story);
    for (const { atMs, endOffset, fromOffset, process, ...place } of said) {
      const isTrue = all.some(
        (cut) => logName(cut.partition) === logName(place) && cut.atMs <= atMs && cut.fromOffset <= endOffset,
      );
      if (!isTrue)
        yield `${process} at ${atMs} ms: ${logName(place)} ends at ${endOffset} and not at ${fromOffset}, and nothing of it was lost`;
    }
    for (const { process, topic, truncated } of losses) {
      const own = said.filter((each) => each.process === process && each.topic === topic);
      const records = own.reduce((sum, { endOffset, fromOffset }) => sum + fromOffset - endOffset, 0);
      if (records !== truncated)
        yield `${process} counts ${truncated} of ${topic} as lost at its end, and says ${records}`;
    }
  },
);
