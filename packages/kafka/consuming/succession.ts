// A group that goes on with the work of the groups in which an earlier version reads the same topics.
import type { Host } from "#host";
import { backoffMs, isWorthLogging } from "../backoff.ts";
import type { ClusterAdmin, Commit } from "../cluster.ts";
import { fromClientError } from "../errors.ts";
import type { CommittedOffset } from "../session.ts";
import type { KafkaLogger } from "../types.ts";

const LOOK_EVERY_MS = 1_000;
const RETRY_MS = { first: 200, max: 5_000 };

export interface Succession {
  readonly groupId: string;
  /** By topic. */
  readonly formerGroups: ReadonlyMap<string, string>;
}

export interface SuccessionParts {
  readonly admin: {
    /** Tries again what may pass. */
    run<R>(use: (admin: ClusterAdmin) => Promise<R>): Promise<R>;
  };
  readonly host: Host;
  readonly logger: KafkaLogger;
}

/**
 * Resolves when the former groups have no member, and the group stands where they have come to; or when the signal is aborted. Two versions never
 * work on one record: while a process of the earlier one is a member, its groups have all partitions.
 *
 * A death before the commit leaves everything as it was; the commit is one request. Another process that has done the same meanwhile may be a member
 * already: the group then refuses this commit, and stands where it would have put it, or further.
 */
export async function succeed(
  succession: Succession,
  parts: SuccessionParts,
  signal: AbortSignal,
): Promise<void> {
  const { host, logger } = parts;
  const pause = (delayMs: number): Promise<void> => host.delay(delayMs, signal).catch(() => undefined);
  let looks = 0;
  for (let failures = 0; !signal.aborted; ) {
    try {
      const members = await membersOf(succession, parts);
      if (members === 0) return await takePlaces(succession, parts);
      looks += 1;
      const text =
        "processes of an earlier version still do this process's work: it takes part when they end";
      if (isWorthLogging(looks)) logger.warn({ groupId: succession.groupId, members }, text);
      await pause(LOOK_EVERY_MS);
    } catch (thrown) {
      failures += 1;
      const facts = { groupId: succession.groupId, failures, error: fromClientError(thrown).message };
      if (isWorthLogging(failures) && !signal.aborted)
        logger.warn(facts, "the groups of an earlier version cannot be seen yet");
      await pause(backoffMs(failures, RETRY_MS, host));
    }
  }
}

function membersOf({ formerGroups }: Succession, { admin }: SuccessionParts): Promise<number> {
  const groupIds = [...new Set(formerGroups.values())];
  return admin.run((one) => one.memberCount(groupIds));
}

async function takePlaces(succession: Succession, { admin }: SuccessionParts): Promise<void> {
  const { formerGroups, groupId } = succession;
  const places: CommittedOffset[] = [];
  for (const [topic, formerGroup] of formerGroups) {
    const theirs = await admin.run((one) => one.commits(formerGroup, topic));
    if (theirs.size === 0) continue;
    const own = await admin.run((one) => one.commits(groupId, topic));
    places.push(...further(topic, theirs, own));
  }
  if (places.length > 0) await admin.run((one) => one.commitUnlessJoined(groupId, places));
}

/** Where they are beyond our own places. */
function further(
  topic: string,
  theirs: ReadonlyMap<number, Commit>,
  own: ReadonlyMap<number, Commit>,
): CommittedOffset[] {
  return [...theirs]
    .filter(([partition, { offset }]) => offset > (own.get(partition)?.offset ?? -1))
    .map(([partition, commit]) => ({ topic, partition, ...commit }));
}
