// Works through one regulation, from where its record says it is. What is left behind when the process dies, line by line:
//
//   suppressions → (1) → progress → wait until they are in force → state → (2) → progress → notifications → (3) → progress → … → end
//
//   (1), (2) What was written is written again: the same records under the same keys. Older regulations come first, and one that is written
//            again is still open, so no later one has been written meanwhile.
//   (3)      The notifications since the last progress are written again under the same message ids: the router drops copies.
//
// Each `progress` is the regulation's record, acknowledged; between two of them nothing is lost.
import type { Host } from "#host";
import type { OutgoingRecord } from "#kafka";
import type { DestinationConfig, Regulation } from "#topics";
import type { Pace } from "../../records/durable-work/pace.ts";
import {
  ended,
  forgotten,
  hasEnded,
  isConnected,
  nextNotifications,
  notified,
  sourceFailed,
  suppressed,
} from "../../resources/regulations/regulation.ts";
import type { RegulationStore } from "../../resources/regulations/store.ts";
import type { RegulationRecords } from "./records.ts";

/** What a regulation writes, as its metric says it. */
export const WRITTEN_KINDS = ["suppression", "state_deletion", "notification"] as const;
type WrittenKind = (typeof WRITTEN_KINDS)[number];

export interface RegulationWork {
  readonly store: Pick<RegulationStore, "get" | "put" | "untilOlderAreWritten">;
  readonly records: RegulationRecords;
  /** Rejects while their topic has lost its records: one suppression more would make it look whole (decision 118). */
  readonly lookAtSuppressions: () => Promise<void>;
  /** Resolves when they are on all in-sync replicas. */
  readonly write: (records: readonly OutgoingRecord[]) => Promise<void>;
  /** Every destination there is now. */
  readonly destinations: () => Iterable<Pick<DestinationConfig, "enabled" | "sourceIds">>;
  readonly pace: Pick<Pace, "stepCalls" | "turn">;
  readonly onWritten: (kind: WrittenKind, count: number) => void;
  readonly host: Pick<Host, "delay" | "elapsed">;
  nowMs(): number;
}

const PROGRESS_EVERY_MS = 5_000;
/** Records written at a time: a regulation that is let go of ends soon. */
const RECORDS_AT_ONCE = 500;

/** Resolves when the regulation has ended, or with `signal`. */
export async function workOn(id: string, work: RegulationWork, signal: AbortSignal): Promise<void> {
  const found = work.store.get(id);
  if (found === undefined || hasEnded(found)) return;
  const begun = await suppress(found, work, signal);
  const ready = await forget(begun, work, signal);
  const done = await notify(ready, work, signal);
  if (signal.aborted) return;
  await work.store.put(ended(done, work.nowMs()));
}

async function suppress(
  regulation: Regulation,
  work: RegulationWork,
  signal: AbortSignal,
): Promise<Regulation> {
  if (regulation.isSuppressionDone) return regulation;
  await work.store.untilOlderAreWritten(regulation, signal);
  await work.lookAtSuppressions();
  await writeOfEach(regulation, "suppression", { work, signal });
  return await saved(suppressed(regulation, work.nowMs()), work);
}

/** Not before the suppressions are in force: a call that is accepted until then would bring a user back. */
async function forget(
  regulation: Regulation,
  work: RegulationWork,
  signal: AbortSignal,
): Promise<Regulation> {
  if (regulation.isStateDone) return regulation;
  const inForceInMs = (regulation.deletedAtMs ?? 0) - work.nowMs();
  if (inForceInMs > 0) await work.host.delay(inForceInMs, signal);
  await writeOfEach(regulation, "state_deletion", { work, signal });
  return await saved(forgotten(regulation, work.nowMs()), work);
}

/** The same records of each user. */
async function writeOfEach(
  regulation: Regulation,
  kind: "suppression" | "state_deletion",
  { work, signal }: Working,
): Promise<void> {
  const { subjectIds } = regulation;
  const recordOf = kind === "suppression" ? work.records.suppression : work.records.stateDeletion;
  for (let at = 0; at < subjectIds.length; at += RECORDS_AT_ONCE) {
    signal.throwIfAborted();
    const users = subjectIds.slice(at, at + RECORDS_AT_ONCE);
    await work.write(users.flatMap((userId) => recordOf(regulation, userId)));
    work.onWritten(kind, users.length);
  }
}

async function saved(regulation: Regulation, { store }: RegulationWork): Promise<Regulation> {
  await store.put(regulation);
  return regulation;
}

async function notify(begun: Regulation, work: RegulationWork, signal: AbortSignal): Promise<Regulation> {
  let regulation = begun;
  let saved = begun;
  let savedAtMs = work.host.elapsed();
  try {
    for (;;) {
      const next = signal.aborted ? undefined : nextNotifications(regulation, work.pace.stepCalls);
      if (next === undefined) return regulation;
      regulation = await notifyOf(regulation, next, { work, signal });
      if (work.host.elapsed() - savedAtMs < PROGRESS_EVERY_MS) continue;
      await work.store.put(regulation);
      saved = regulation;
      savedAtMs = work.host.elapsed();
    }
  } finally {
    // Somebody else goes on: what was written need not be written again.
    if (signal.aborted && saved !== regulation) await work.store.put(regulation);
  }
}

interface Working {
  readonly work: RegulationWork;
  readonly signal: AbortSignal;
}

async function notifyOf(
  regulation: Regulation,
  { sourceId, userIds }: { readonly sourceId: string; readonly userIds: readonly string[] },
  { work, signal }: Working,
): Promise<Regulation> {
  if (regulation.subjectsDone === 0 && !isConnected(sourceId, work.destinations()))
    return sourceFailed(regulation, sourceId, work.nowMs());
  await work.pace.turn(userIds.length, signal);
  await work.write(userIds.map((userId) => work.records.notification(regulation, sourceId, userId)));
  work.onWritten("notification", userIds.length);
  return notified(regulation, userIds.length, work.nowMs());
}
