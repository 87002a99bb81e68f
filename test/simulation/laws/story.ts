import type { RawRecord } from "#kafka";
import type { Request } from "#testing";
import type {
  AudienceConfig,
  AudienceProgress,
  AudienceSize,
  Call,
  ConnectionSync,
  DeadLetter,
  DeliveryJob,
  DeliveryWake,
  DestinationConfig,
  MembershipImport,
  MembershipImportRows,
  ProfileEventRecord,
  ProfileState,
  Regulation,
  Replay,
  RoutedCall,
  Suppression,
} from "#topics";
import type { Plan } from "../plan/plan.ts";
import type { Happening } from "../world/history.ts";
import type { LogLine } from "../world/log-book.ts";

/** A record with what it holds, and when it was written. */
export interface Written<T> {
  readonly record: RawRecord;
  readonly value: T;
  readonly atMs: number;
  readonly process: string;
  /** Place in the history. */
  readonly place: number;
}

/** What a process showed at the end. */
export interface Remainder {
  readonly process: string;
  /** By metric; all of them are to be 0 once everything is through. */
  readonly gauges: Readonly<Record<string, number>>;
}

/** What a process that was started once shows of the records that it says it has lost. */
export interface LossShown {
  readonly process: string;
  readonly topic: string;
  readonly counted: number;
  /** Of what a log has lost at its end. */
  readonly truncated: number;
}

/** What a control process can look up at the end. */
export interface IndexShown {
  readonly process: string;
  readonly deadLetters: number;
  /** Calls by stage and reason, as in "dropped duplicate", of all time. */
  readonly counted: Readonly<Record<string, number>>;
  /** Calls; undefined where it was not asked, or did not know. */
  readonly waiting: number | undefined;
}

/** Who is on a list by a control process's copy of the profiles, at the end. */
export interface ListShown {
  readonly process: string;
  readonly listId: string;
  readonly profileIds: ReadonlySet<string>;
}

/** What control writes, and works on: every version of each that there was, but for its end unless it says otherwise. */
export interface ControlRecords {
  readonly destinations: readonly Written<DestinationConfig>[];
  readonly connectionSyncs: readonly Written<ConnectionSync>[];
  readonly regulations: readonly Written<Regulation>[];
  /** null: it was ended. */
  readonly suppressions: readonly Written<Suppression | null>[];
  readonly imports: readonly Written<MembershipImport>[];
  readonly importRows: readonly Written<MembershipImportRows>[];
  /** Ends of imports. */
  readonly importEnds: readonly Written<null>[];
  readonly audiences: readonly Written<AudienceConfig>[];
}

export const NO_CONTROL_RECORDS: ControlRecords = {
  destinations: [],
  connectionSyncs: [],
  regulations: [],
  suppressions: [],
  imports: [],
  importRows: [],
  importEnds: [],
  audiences: [],
};

/** A run as its laws look at it. */
export interface Story {
  readonly plan: Plan;
  readonly happenings: readonly Happening[];
  readonly calls: readonly Written<Call>[];
  /** What routers say became of calls. */
  readonly routedCalls: readonly Written<RoutedCall>[];
  /** In delivery-jobs and in all retry topics. */
  readonly jobs: readonly Written<DeliveryJob>[];
  /** Deliverers' wake cursors; null: it is not needed any more. */
  readonly wakes: readonly Written<DeliveryWake | null>[];
  readonly deadLetters: readonly Written<DeadLetter>[];
  /** Every version of each. */
  readonly replays: readonly Written<Replay>[];
  readonly profileEvents: readonly Written<ProfileEventRecord>[];
  /** Every version of each, but for its end. */
  readonly profiles: readonly Written<ProfileState>[];
  /** null: it was ended. */
  readonly progress: readonly Written<AudienceProgress | null>[];
  readonly sizes: readonly Written<AudienceSize | null>[];
  readonly control: ControlRecords;
  readonly requests: readonly Request[];
  readonly logs: readonly LogLine[];
  /** Errors that nobody has handled. */
  readonly unhandled: readonly string[];
  /** When everything was through; undefined: it was not when the run ended. */
  readonly drainedAtMs: number | undefined;
  readonly endedAtMs: number;
  /** What was left, for people; empty when everything was through. */
  readonly leftOver: string;
  readonly remainders: readonly Remainder[];
  readonly indexes: readonly IndexShown[];
  readonly losses: readonly LossShown[];
  readonly lists: readonly ListShown[];
}

/** Reads something of a story once, however many laws ask for it. */
export function onceOf<T>(read: (story: Story) => T): (story: Story) => T {
  const known = new WeakMap<Story, T>();
  return (story) => {
    const found = known.get(story) ?? read(story);
    known.set(story, found);
    return found;
  };
}

/** A law that a run has broken. */
export interface Finding {
  readonly law: string;
  readonly what: string;
}

export type Law = (story: Story) => readonly Finding[];

/** More of one kind tell nothing new. */
const MAX_FINDINGS = 5;

/** A law whose findings carry its name; the first few of them. */
export function law(name: string, look: (story: Story) => Iterable<string>): Law {
  return (story) => {
    const findings: Finding[] = [];
    for (const what of look(story)) {
      findings.push({ law: name, what });
      if (findings.length === MAX_FINDINGS) break;
    }
    return findings;
  };
}
