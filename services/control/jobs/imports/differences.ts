// What an import changes: its rows beside the members that control's copy of the profiles has.
import { ownerOf, userProfileId } from "#audiences";
import type { Host } from "#host";
import type { OutgoingRecord } from "#kafka";
import type { Serde } from "#serde";
import { type MembershipImport, profileEvent, type Topic } from "#topics";
import { nextTurn } from "../../http/next-turn.ts";
import { idsBehind } from "../../records/profiles/next-ids.ts";
import type { ProfileReader } from "../../records/profiles/replica.ts";
import { IdSet } from "../id-set.ts";

/** One profile comes onto the list, or goes off it. */
export interface Change {
  readonly profileId: string;
  readonly isMember: boolean;
}

/** What was found since the step before. */
export interface DifferenceStep {
  readonly changes: readonly Change[];
  readonly users: number;
  readonly suppressed: number;
  readonly members: number;
  /** The changes of so many rows, and then of so many partitions, were given by now. */
  readonly rowsDone: number;
  readonly partitionsDone: number;
}

export interface DifferenceParts {
  /** Calls back with the rows in their order, one chunk after the other; rejects when some of them are there no more. */
  readonly eachChunk: (
    one: MembershipImport,
    take: (userIds: readonly string[]) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly profiles: ProfileReader;
  readonly isSuppressed: (userId: string) => boolean;
  readonly host: Pick<Host, "setImmediate">;
}

type Take = (step: DifferenceStep) => Promise<void>;

/** Lookups of one turn of the event loop: a millisecond. */
const LOOKUPS_A_TURN = 200;

/** One comparison. The profiles of the rows are in memory while it lasts, as hashes. */
export class Differences {
  readonly #import: MembershipImport;
  readonly #parts: DifferenceParts;
  readonly #signal: AbortSignal;
  readonly #named: IdSet;

  constructor(one: MembershipImport, parts: DifferenceParts, signal: AbortSignal) {
    this.#import = one;
    this.#parts = parts;
    this.#signal = signal;
    this.#named = new IdSet(one.rows);
  }

  /** Goes through the rows; those that are done by the import's record are noted as named, and no more. */
  async ofRows(take: Take): Promise<void> {
    let rowsDone = 0;
    const chunk = async (userIds: readonly string[]): Promise<void> => {
      for (let at = 0; at < userIds.length; at += LOOKUPS_A_TURN) {
        this.#signal.throwIfAborted();
        const some = userIds.slice(at, at + LOOKUPS_A_TURN);
        rowsDone += some.length;
        const step = await this.#stepOf(some, rowsDone);
        if (rowsDone > this.#import.rowsDone) await take(step);
        await nextTurn(this.#parts.host);
      }
    };
    await this.#parts.eachChunk(this.#import, chunk, this.#signal);
  }

  /** Goes through all profiles: those on the list that no row names come off it when the mode is replace. After `ofRows`. */
  async ofMembers(take: Take): Promise<void> {
    const { partitionsDone: from, rows } = this.#import;
    const { host, profiles } = this.#parts;
    for (let partition = from; partition < profiles.partitions; partition += 1)
      for (const ids of idsBehind(profiles, partition, { most: LOOKUPS_A_TURN })) {
        this.#signal.throwIfAborted();
        const found = await this.#membersOf(partition, ids);
        await take({ ...found, users: 0, suppressed: 0, rowsDone: rows, partitionsDone: partition });
        await nextTurn(host);
      }
  }

  async #stepOf(userIds: readonly string[], rowsDone: number): Promise<DifferenceStep> {
    const changes: Change[] = [];
    let [users, suppressed] = [0, 0];
    for (const userId of userIds) {
      const id = userProfileId(userId);
      const found = await this.#parts.profiles.survivorOf(id);
      const profileId = found?.id ?? id;
      if (!this.#named.add(profileId)) continue;
      users += 1;
      const isMember = this.#import.mode !== "remove";
      if (this.#parts.isSuppressed(userId)) suppressed += 1;
      else if ((found?.state.lists ?? []).includes(this.#import.audienceId) !== isMember)
        changes.push({ profileId, isMember });
    }
    return { changes, users, suppressed, members: 0, rowsDone, partitionsDone: 0 };
  }

  async #membersOf(partition: number, ids: readonly string[]) {
    const { isSuppressed, profiles } = this.#parts;
    const changes: Change[] = [];
    let members = 0;
    for (const id of ids) {
      const state = await profiles.sentOf(partition, id);
      if (state === undefined || state.redirectTo !== null || !state.lists.includes(this.#import.audienceId))
        continue;
      members += 1;
      const owner = ownerOf(id);
      const isKept = this.#named.has(id) || ("userId" in owner && isSuppressed(owner.userId));
      if (this.#import.mode === "replace" && !isKept) changes.push({ profileId: id, isMember: false });
    }
    return { changes, members };
  }
}

/** Tells the audience processor of one change of a list. */
export function listEvent(
  { serde, topic }: { readonly serde: Pick<Serde, "encode">; readonly topic: Topic<"profile-event"> },
  { audienceId, stagedAtMs }: MembershipImport,
  { isMember, profileId }: Change,
): OutgoingRecord {
  const event = profileEvent("list", { listId: audienceId, isMember, listedAtMs: stagedAtMs });
  return { topic: topic.name, key: profileId, value: serde.encode(topic, event) };
}
