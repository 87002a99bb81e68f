// What became of calls, where it can be looked up: attempts, totals per minute, dead letters, what the router says of calls, and who changed what, read from their topics into files of
// this process. Recorded calls, of which there is one for each call, may be shared among threads: what is asked about them is asked of all, and answered later.
import type { StatsRollup } from "#topics";
import type { FlowBetween } from "./flow-between.ts";
import type { FlowQuery } from "./flow-stages.ts";
import type { FlowSum } from "./flow-table.ts";
import type { IndexPart } from "./index-part.ts";
import {
  addNameSums,
  addRollups,
  addUp,
  compare,
  firstKeys,
  joinSpans,
  newestOf,
  rollupId,
} from "./merging.ts";
import type { NameSum } from "./names-table.ts";
import type { DueKey } from "./rollups-table.ts";
import {
  type CallOfSource,
  type CallsOfSource,
  type ListedRoutedCall,
  type LookAtRoutedCalls,
  type LookedAtRoutedCalls,
  lastSaid,
  type RoutedCallFilter,
} from "./routed-calls-table.ts";
import { type Answer, type Asked, type AskedName, type Share, shareHere } from "./share.ts";
import type { Spans } from "./spans.ts";
import type { Page } from "./sql.ts";

/** A roll-up that counts have come to since it was written. */
export interface DueRollup {
  readonly stepMs: number;
  readonly record: StatsRollup;
  /** False when the topic has it already, or one that counts more. */
  readonly isNews: boolean;
  /** As it is due in each file; undefined where nothing new has come to it. */
  readonly parts: readonly (DueKey | undefined)[];
}

/** `shares` have the recorded calls, by the remainder of their partitions; with none of them the main file has them too. */
export class DeliveryIndex {
  readonly #main: IndexPart;
  readonly #all: readonly Share[];
  /** Those that have recorded calls. */
  readonly #shares: readonly Share[];

  readonly listAttempts: IndexPart["listAttempts"];
  readonly sumRequests: IndexPart["sumRequests"];
  readonly listIssues: IndexPart["listIssues"];
  readonly findIssue: IndexPart["findIssue"];
  readonly listAuditEntries: IndexPart["listAuditEntries"];
  readonly listDeadLetters: IndexPart["listDeadLetters"];
  readonly listRefused: IndexPart["listRefused"];
  readonly countDeadLetters: IndexPart["countDeadLetters"];
  readonly listAttemptsOfIssue: IndexPart["listAttemptsOfIssue"];
  readonly findDeadLetter: IndexPart["findDeadLetter"];
  readonly countUpTo: IndexPart["countUpTo"];
  readonly replayablePlaces: IndexPart["replayablePlaces"];

  constructor(main: IndexPart, shares: readonly Share[] = []) {
    this.#main = main;
    this.#all = [shareHere(main), ...shares];
    this.#shares = shares.length === 0 ? this.#all : shares;
    this.listAttempts = main.listAttempts;
    this.sumRequests = main.sumRequests;
    this.listIssues = main.listIssues;
    this.findIssue = main.findIssue;
    this.listAuditEntries = main.listAuditEntries;
    this.listDeadLetters = main.listDeadLetters;
    this.listRefused = main.listRefused;
    this.countDeadLetters = main.countDeadLetters;
    this.listAttemptsOfIssue = main.listAttemptsOfIssue;
    this.findDeadLetter = main.findDeadLetter;
    this.countUpTo = main.countUpTo;
    this.replayablePlaces = main.replayablePlaces;
  }

  /** Oldest first. */
  async sumFlow(query: FlowQuery): Promise<FlowSum[]> {
    const lists = await ask(this.#all, "sumFlow", query);
    return addUp(lists, ({ atMs, reason, stage, type }) => `${atMs} ${type} ${stage} ${reason}`).sort(
      (one, other) => one.atMs - other.atMs || compare(one.type, other.type),
    );
  }

  /** By step, oldest first. */
  async sumNames(query: FlowQuery): Promise<NameSum[]> {
    return addNameSums(await ask(this.#all, "sumNames", query));
  }

  /** Of one minute, by its start. */
  async sumBetween(minuteMs: number): Promise<FlowBetween[]> {
    const lists = await ask(this.#all, "sumBetween", minuteMs);
    return addUp(lists, ({ destinationId, sourceId, stage }) => `${sourceId} ${destinationId} ${stage}`);
  }

  /** Oldest first, each call and each of its copies once: what was said last of one that was routed again after a crash. */
  async listRoutedCalls(filter: RoutedCallFilter, limit: number): Promise<ListedRoutedCall[]> {
    return lastSaid(newestOf(await ask(this.#shares, "routedCallRows", filter, limit), limit));
  }

  /** Newest first, each copy of a call too. */
  async listCallsOfSource(filter: CallsOfSource, page: Page): Promise<CallOfSource[]> {
    return newestOf(await ask(this.#shares, "listCallsOfSource", filter, page), page.limit);
  }

  /** At most `most`. */
  async countCallsOfSource(filter: CallsOfSource, most: number): Promise<number> {
    const counts = await ask(this.#shares, "countCallsOfSource", filter, most);
    return Math.min(sumOf(counts), most);
  }

  /** The names of track calls, each null where it is not recorded. */
  async eventsOf(calls: readonly Required<RoutedCallFilter>[]): Promise<(string | null)[]> {
    if (calls.length === 0) return [];
    const found = await ask(this.#shares, "eventsOf", calls);
    return calls.map((_, at) => found.map((events) => events[at]).find((event) => event != null) ?? null);
  }

  /** A few milliseconds for thousands of rows. */
  async lookAtRoutedCalls(look: LookAtRoutedCalls): Promise<LookedAtRoutedCalls> {
    const share = this.#shares[look.partition % this.#shares.length];
    return share === undefined ? { found: [], next: undefined } : share.ask("lookAtRoutedCalls", look);
  }

  /** Partitions that have recorded calls. */
  async routedCallPartitions(): Promise<number[]> {
    const found = await ask(this.#shares, "routedCallPartitions");
    return found.flat().sort((one, other) => one - other);
  }

  async spans(): Promise<Spans> {
    return joinSpans(await ask(this.#all, "spans"));
  }

  /** Whether anything is known of a destination, which may have been deleted since. */
  async knowsDestination(id: string): Promise<boolean> {
    return (await ask(this.#all, "knowsDestination", id)).includes(true);
  }

  /** Roll-ups that their topics do not have yet, or did not have when the index looked. What comes to one meanwhile keeps it due. */
  async dueRollups(limit: number): Promise<DueRollup[]> {
    const due = await ask(this.#all, "dueRollups", limit);
    const own = due.map((keys) => new Map(keys.map((key) => [rollupId(key), key])));
    const keys = firstKeys(due, limit);
    const counts = await ask(this.#all, "countsOfRollups", keys);
    return keys.map((key, at) => {
      const { atMs, destinationId, sourceId, stepMs } = key;
      const counted = addRollups(counts.flatMap((of) => of[at] ?? []));
      const parts = own.map((keysOf) => keysOf.get(rollupId(key)));
      const record = { atMs, sourceId, destinationId, ...counted };
      return { stepMs, record, isNews: this.#main.isNews(stepMs, record), parts };
    });
  }

  /** Their topics have them. */
  async settleRollups(due: readonly DueRollup[]): Promise<void> {
    const settled = this.#all.map((share, part) => {
      const keys = due.flatMap(({ parts }) => parts[part] ?? []);
      return keys.length === 0 ? undefined : share.ask("settleRollups", keys);
    });
    await Promise.all(settled);
  }
}

/** All of them, at once. */
function ask<K extends AskedName>(
  shares: readonly Share[],
  name: K,
  ...asked: Asked<K>
): Promise<Answer<K>[]> {
  return Promise.all(shares.map((share) => share.ask(name, ...asked)));
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
