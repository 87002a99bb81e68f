// Applies one import, from where its record says it is. What is left behind when the process dies, line by line:
//
//   older imports have ended → there is room → profiles are up to date → compare → (1) → counts, or held → (2) changes → progress → (2) … → applied
//
//   (1) Nothing was written: it is compared again.
//   (2) Changes since the last progress are written again, where the profiles do not have them yet. A user who is on a list comes onto it
//       once more: the audience processor sees no difference.
//
// Counts, `held`, progress and `applied` are the import's record, acknowledged; between two of them nothing is lost.
import type { Host } from "#host";
import type { OutgoingRecord } from "#kafka";
import type { MembershipImport } from "#topics";
import type { Pace } from "../../records/durable-work/pace.ts";
import { type Change, type DifferenceParts, type DifferenceStep, Differences } from "./differences.ts";
import { applied, type Counts, compared, type Place, progressed, refused } from "./import.ts";
import type { ImportQueue } from "./queue.ts";
import type { ComparisonRoom } from "./room.ts";
import { RowsExpiredError } from "./staged-rows.ts";

export interface ImportWork extends DifferenceParts {
  readonly queue: Omit<ImportQueue, "all" | "remove">;
  readonly room: ComparisonRoom;
  /** Resolves when the profiles have all that was written of them before the call. */
  readonly untilUpToDate: (signal: AbortSignal) => Promise<void>;
  /** False for a list that is deleted. */
  readonly isThere: (audienceId: string) => boolean;
  readonly eventOf: (one: MembershipImport, change: Change) => OutgoingRecord;
  /** Resolves when they are on all in-sync replicas. */
  readonly write: (records: readonly OutgoingRecord[]) => Promise<void>;
  readonly onWritten: (count: number) => void;
  readonly pace: Pick<Pace, "stepCalls" | "turn">;
  readonly host: Pick<Host, "delay" | "elapsed" | "setImmediate">;
  nowMs(): number;
}

const PROGRESS_EVERY_MS = 5_000;

/** Resolves when the import has ended or is held, or with `signal`. */
export async function workOn(id: string, work: ImportWork, signal: AbortSignal): Promise<void> {
  const found = work.queue.get(id);
  if (found === undefined) return;
  if (found.state !== "staged") {
    // A process that was cut off has written behind its end that it is under way.
    if (!work.queue.isAsWritten(id)) await work.queue.put(found);
    return;
  }
  await work.queue.untilOlderHaveEnded(found, signal);
  await work.room.occupy(found.rows, () => carryOut(found, work, signal), signal);
}

async function carryOut(found: MembershipImport, work: ImportWork, signal: AbortSignal): Promise<void> {
  if (!work.isThere(found.audienceId)) {
    await work.queue.put(refused(found, "the list was deleted", work.nowMs()));
    return;
  }
  await work.untilUpToDate(signal);
  try {
    const counted = found.isCompared ? found : await count(found, work, signal);
    if (counted.state === "staged") await apply(counted, work, signal);
  } catch (error) {
    if (!(error instanceof RowsExpiredError)) throw error;
    await work.queue.put(refused(found, error.message, work.nowMs()));
  }
}

async function count(
  one: MembershipImport,
  work: ImportWork,
  signal: AbortSignal,
): Promise<MembershipImport> {
  const counts = { users: 0, suppressed: 0, members: 0, added: 0, removed: 0 } satisfies Counts;
  const take = async ({ changes, members, suppressed, users }: DifferenceStep): Promise<void> => {
    counts.users += users;
    counts.suppressed += suppressed;
    counts.members += members;
    for (const { isMember } of changes) counts[isMember ? "added" : "removed"] += 1;
  };
  const differences = new Differences(one, work, signal);
  await differences.ofRows(take);
  if (one.mode !== "add") await differences.ofMembers(take);
  const counted = compared(one, counts, work.nowMs());
  await work.queue.put(counted);
  return counted;
}

async function apply(one: MembershipImport, work: ImportWork, signal: AbortSignal): Promise<void> {
  let current = one;
  let written = one.written;
  let savedAtMs = work.host.elapsed();
  const take = async ({ changes, partitionsDone, rowsDone }: DifferenceStep): Promise<void> => {
    await writeAll(one, changes, { work, signal });
    written += changes.length;
    if (work.host.elapsed() - savedAtMs < PROGRESS_EVERY_MS) return;
    await save({ written, rowsDone, partitionsDone });
    savedAtMs = work.host.elapsed();
  };
  const save = async (place: Place): Promise<void> => {
    current = progressed(current, place, work.nowMs());
    await work.queue.put(current);
  };
  const differences = new Differences(one, work, signal);
  await differences.ofRows(take);
  if (one.mode === "replace") await differences.ofMembers(take);
  signal.throwIfAborted();
  await work.queue.put(applied(current, work.nowMs()));
}

interface Working {
  readonly work: ImportWork;
  readonly signal: AbortSignal;
}

async function writeAll(
  one: MembershipImport,
  changes: readonly Change[],
  { work, signal }: Working,
): Promise<void> {
  const { eventOf, onWritten, pace, write } = work;
  for (let at = 0; at < changes.length; at += pace.stepCalls) {
    const some = changes.slice(at, at + pace.stepCalls);
    await pace.turn(some.length, signal);
    signal.throwIfAborted();
    await write(some.map((change) => eventOf(one, change)));
    onWritten(some.length);
  }
}
