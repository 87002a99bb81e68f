// Brings a partition's duplicate window up to an offset by noting again what stands in the log below it.
import type { Host } from "#host";
import type { Logger } from "#runtime";
import { type DedupeWindow, LOCAL_DISK, type Noted, type WindowDisk } from "#state";
import type { Call } from "#topics";
import type { CallsLog } from "./calls-log.ts";

/** The number of ids not on disk above which noting waits: memory stays bounded when the disk is slow. */
export const MAX_UNWRITTEN = 100_000;
/** A shorter rebuild is over before anybody reads about it. */
const LOGGED_FROM_CALLS = 10_000;
const LOG_EVERY_MS = 10_000;
/** Calls that are looked at for one that is asked about: what a sender repeats stood side by side, too. */
const CLARIFIED_AT_A_TIME = 200;

export interface CatchUpOptions {
  readonly partition: number;
  readonly directory: string;
  readonly windowMs: number;
  /** The disk of `directory`; the machine's own unless given. */
  readonly disk?: WindowDisk;
  readonly log: CallsLog;
  readonly logger: Logger;
  readonly host: Host;
  /** The disk refuses: the service cannot go on. */
  onDiskError(error: unknown): void;
}

/** Offsets read and to be read. */
export interface Progress {
  readonly read: number;
  readonly total: number;
}

export interface CatchUp {
  readonly window: DedupeWindow;
  readonly toOffset: number;
  /** Ends the reading, also while Kafka is away. */
  readonly signal: AbortSignal;
  /** Undefined when it is through. What it throws ends the reading. */
  onProgress(progress: Progress | undefined): void;
}

export function noteIn(window: DedupeWindow, offset: number, call: Call): Noted {
  const { anonymousId, messageId, receivedAtMs, sourceId, userId } = call;
  return window.note({ sourceId, messageId, userId, anonymousId, offset, receivedAtMs });
}

/** Looks in the log who stands at an offset that `unclearFor` gave. */
export async function clarify(
  { log, partition }: CatchUpOptions,
  { fromOffset, signal, window }: { window: DedupeWindow; fromOffset: number; signal: AbortSignal },
): Promise<void> {
  const { low, high } = await log.bounds(partition);
  const toOffset = Math.min(fromOffset + CLARIFIED_AT_A_TIME, high);
  const onCall = ({ call, offset }: { call: Call; offset: number }) => window.clarify(offset, call);
  if (low <= fromOffset && fromOffset < toOffset)
    await log.read({ partition, fromOffset, toOffset, signal, onCall });
  // This also holds where the record is in the log no more, or cannot be read.
  window.clarify(fromOffset, undefined);
}

/** What a window is brought to when it is opened. */
type Opening = Pick<CatchUp, "toOffset" | "signal">;

/** Opens the window that is to judge the calls from `toOffset` on; one that cannot is thrown away, to be rebuilt. */
export async function openLogWindow(options: CatchUpOptions, opening: Opening): Promise<DedupeWindow> {
  const { directory, disk = LOCAL_DISK, log, logger, onDiskError, partition } = options;
  const windowOptions = {
    ...options,
    onError: onDiskError,
    onDiscarded: (error: unknown) =>
      logger.warn({ partition, err: error }, "duplicate window is unreadable and is rebuilt"),
  };
  const { low, high } = await log.bounds(partition);
  const window = disk.open(windowOptions);
  const { reached } = window;
  const useless = await whyUseless(options, { window, low, high, ...opening }).catch(
    async (error: unknown) => {
      await window.close();
      throw error;
    },
  );
  if (useless === undefined) return window;
  logger.warn({ partition, reached, high }, `duplicate window is ${useless} and is rebuilt`);
  await window.close();
  disk.discard(directory);
  return disk.open(windowOptions);
}

/**
 * A window that has come further than the log belongs to a topic that was deleted and made again. One that
 * noted hours of a backlog which are read again, as they were not committed, has forgotten the first of them
 * and what they are copies of: it would route copies, and take them for the first of what came a day later.
 */
async function whyUseless(
  { log, partition }: CatchUpOptions,
  opened: Opening & { window: DedupeWindow; low: number; high: number },
): Promise<string | undefined> {
  const { high, low, signal, toOffset, window } = opened;
  if (window.reached > high) return "of another log";
  if (window.reached <= toOffset) return undefined;
  const timeMs = await log.timeAt(partition, Math.max(toOffset, low), signal);
  return timeMs === undefined || window.isGoodFor(timeMs) ? undefined : "ahead of its calls";
}

/** Afterwards the window holds every id that came below `toOffset` within its time. */
export async function catchUp(options: CatchUpOptions, work: CatchUp): Promise<void> {
  const { window, toOffset, onProgress } = work;
  if (window.reached >= toOffset) return;
  const { log, host, partition, windowMs } = options;
  const { low } = await log.bounds(partition);
  // The window ends where the calls go on: the next of them may have waited for hours. Where none is there yet it ends with the last one, as
  // the clocks that gave the calls their times may be behind ours. A clock ahead must not shorten it.
  const timeAt = (offset: number) => log.timeAt(partition, offset, work.signal);
  const next = Math.max(toOffset, low);
  const writtenAtMs = (await timeAt(next)) ?? (await timeAt(next - 1));
  const endsAtMs = Math.min(host.now(), writtenAtMs ?? Number.POSITIVE_INFINITY);
  const startsAt = await log.offsetAt(partition, endsAtMs - windowMs);
  const fromOffset = Math.max(window.reached, low, startsAt);
  if (fromOffset < toOffset) await noteAgain(options, fromOffset, work);
  onProgress(undefined);
  window.advanceTo(toOffset);
}

async function noteAgain(options: CatchUpOptions, fromOffset: number, work: CatchUp): Promise<void> {
  const { log, partition } = options;
  const { window, toOffset, signal, onProgress } = work;
  const total = toOffset - fromOffset;
  const say = progressLog(options, total);
  say("rebuilding duplicate window", 0);
  await log.read({
    partition,
    fromOffset,
    toOffset,
    signal,
    // A promise only when noting has to wait: one for each of a million calls costs more than the reading.
    onCall({ offset, call }) {
      const read = offset + 1 - fromOffset;
      onProgress({ read, total });
      noteIn(window, offset, call);
      say.sometimes(read);
      return window.unwritten >= MAX_UNWRITTEN ? window.flush() : undefined;
    },
  });
  say("duplicate window is rebuilt", total);
}

/** Says how far a long rebuild has come. */
function progressLog({ logger, host, partition }: CatchUpOptions, total: number) {
  let saidAtMs = host.elapsed();
  function say(message: string, read: number): void {
    saidAtMs = host.elapsed();
    if (total >= LOGGED_FROM_CALLS) logger.info({ partition, read, total }, message);
  }
  const sometimes = (read: number): void => {
    if (host.elapsed() - saidAtMs >= LOG_EVERY_MS) say("rebuilding duplicate window", read);
  };
  return Object.assign(say, { sometimes });
}
