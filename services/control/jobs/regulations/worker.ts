// Works through one regulation, from where its record says it is. What is left behind when the process dies, line by line:
//
//   suppressions → (1) → progress → wait until they are in force → state → (2) → progress → notifications → (3) → progress → … → end
//
//   (1), (2) What was written is written again: the same records under the same keys. Older regulations come first, and one that is written
//            again is still open, so no later one has been written meanwhile. What an owner that was cut off has under way may arrive behind
//            those of a later regulation: each owner writes in a term of its own, which its record says first, and Kafka refuses the earlier ones.
//   (3)      The notifications since the last progress are written again under the same message ids: the router drops copies.
//
// Each `progress` is the regulation's record, acknowledged; between two of them nothing is lost. None is written behind one of another process,
// which may have decided otherwise about a moment that receivers are told (decision 75).
import type { Host } from "#host";
import type { OutgoingRecord, TermWriter, WriterTerm } from "#kafka";
import type { Regulation } from "#topics";
import type { Pace } from "../../records/durable-work/pace.ts";
import type { Replacement } from "../../records/sole-writer.ts";
import {
  ended,
  forgotten,
  hasEnded,
  nextNotifications,
  notified,
  sourceFailed,
  suppressed,
  takenUp,
  termOf,
} from "../../resources/regulations/regulation.ts";
import type { RegulationStore } from "../../resources/regulations/store.ts";
import type { RegulationRecords } from "./records.ts";

/** What a regulation writes, as its metric says it. */
export const WRITTEN_KINDS = ["suppression", "state_deletion", "notification"] as const;
type WrittenKind = (typeof WRITTEN_KINDS)[number];

export interface RegulationWork {
  readonly store: Pick<RegulationStore, "get" | "untilOlderAreWritten">;
  /** Resolves when `after` is on all in-sync replicas. Rejects, nothing being written, when another process has gone on with it. */
  readonly replace: (progress: Replacement<Regulation>) => Promise<void>;
  readonly records: RegulationRecords;
  /** Rejects while their topic has lost its records: one suppression more would make it look whole (decision 118). */
  readonly lookAtSuppressions: () => Promise<void>;
  readonly nextTerm: (before: WriterTerm | undefined) => Promise<WriterTerm>;
  readonly writerIn: (term: WriterTerm) => TermWriter;
  /** Resolves when they are on all in-sync replicas. What is written twice is known again. */
  readonly write: (records: readonly OutgoingRecord[]) => Promise<void>;
  /** Whether the source has an enabled destination now. */
  readonly isConnected: (sourceId: string) => boolean;
  readonly pace: Pick<Pace, "stepCalls" | "turn">;
  readonly onWritten: (kind: WrittenKind, count: number) => void;
  readonly host: Pick<Host, "delay" | "elapsed">;
  nowMs(): number;
}

const PROGRESS_EVERY_MS = 5_000;
/** Records written at a time: a regulation that is let go of ends soon. */
const RECORDS_AT_ONCE = 500;

/** How far one regulation is. */
interface Working {
  readonly work: RegulationWork;
  readonly signal: AbortSignal;
  /** As its record says it. */
  noted: Regulation;
  /** In a term that the record says; undefined before the first write. */
  writer?: TermWriter;
}

/** Resolves when the regulation has ended, or with `signal`. */
export async function workOn(id: string, work: RegulationWork, signal: AbortSignal): Promise<void> {
  const noted = work.store.get(id);
  if (noted === undefined || hasEnded(noted)) return;
  const working: Working = { work, signal, noted };
  await suppress(working);
  await forget(working);
  const done = await notify(working);
  if (!signal.aborted) await note(ended(done, work.nowMs()), working);
}

async function note(after: Regulation, working: Working): Promise<void> {
  await working.work.replace({ before: working.noted, after });
  working.noted = after;
}

/** Raises the term: from the first write on, what a former owner has under way is refused. */
async function writerOf(working: Working): Promise<TermWriter> {
  const { noted, work } = working;
  if (working.writer !== undefined) return working.writer;
  const term = await work.nextTerm(termOf(noted));
  await note(takenUp(noted, term, work.nowMs()), working);
  working.writer = work.writerIn(term);
  return working.writer;
}

async function suppress(working: Working): Promise<void> {
  const { noted, signal, work } = working;
  if (noted.isSuppressionDone) return;
  await work.store.untilOlderAreWritten(noted, signal);
  await work.lookAtSuppressions();
  await writeOfEach("suppression", working);
  await note(suppressed(working.noted, work.nowMs()), working);
}

/** Not before the suppressions are in force: a call that is accepted until then would bring a user back. */
async function forget(working: Working): Promise<void> {
  const { noted, signal, work } = working;
  if (noted.isStateDone) return;
  const inForceInMs = (noted.deletedAtMs ?? 0) - work.nowMs();
  if (inForceInMs > 0) await work.host.delay(inForceInMs, signal);
  await writeOfEach("state_deletion", working);
  await note(forgotten(working.noted, work.nowMs()), working);
}

/** The same records of each user. */
async function writeOfEach(kind: "suppression" | "state_deletion", working: Working): Promise<void> {
  const { signal, work } = working;
  const writer = await writerOf(working);
  const { noted } = working;
  const { subjectIds } = noted;
  const recordOf = kind === "suppression" ? work.records.suppression : work.records.stateDeletion;
  for (let at = 0; at < subjectIds.length; at += RECORDS_AT_ONCE) {
    signal.throwIfAborted();
    const users = subjectIds.slice(at, at + RECORDS_AT_ONCE);
    await writer.send(users.flatMap((userId) => recordOf(noted, userId)));
    work.onWritten(kind, users.length);
  }
}

/** Resolves with how far it came, which may not be noted yet. */
async function notify(working: Working): Promise<Regulation> {
  const { signal, work } = working;
  let regulation = working.noted;
  let notedAtMs = work.host.elapsed();
  try {
    for (;;) {
      const next = signal.aborted ? undefined : nextNotifications(regulation, work.pace.stepCalls);
      if (next === undefined) return regulation;
      regulation = await notifyOf(regulation, next, working);
      if (work.host.elapsed() - notedAtMs < PROGRESS_EVERY_MS) continue;
      await note(regulation, working);
      notedAtMs = work.host.elapsed();
    }
  } finally {
    // Somebody else goes on: what was written need not be written again.
    if (signal.aborted && working.noted !== regulation) await note(regulation, working);
  }
}

async function notifyOf(
  regulation: Regulation,
  { sourceId, userIds }: { readonly sourceId: string; readonly userIds: readonly string[] },
  { work, signal }: Pick<Working, "work" | "signal">,
): Promise<Regulation> {
  if (regulation.subjectsDone === 0 && !work.isConnected(sourceId))
    return sourceFailed(regulation, sourceId, work.nowMs());
  await work.pace.turn(userIds.length, signal);
  await work.write(userIds.map((userId) => work.records.notification(regulation, sourceId, userId)));
  work.onWritten("notification", userIds.length);
  return notified(regulation, userIds.length, work.nowMs());
}
