import { SPACE_SOURCE } from "#contract";
import type { OutgoingRecord, RawRecord, Step } from "#kafka";
import type { Call } from "#topics";
import type { ProcessorRecords } from "../records.ts";
import { type KeyedEvent, profileEventsOf } from "./profile-events.ts";

/** Links that were written already and need not be written with each call. A process that forgets one writes it again. */
const MAX_LINKS = 50_000;

/** With when each was written. */
class KnownLinks {
  readonly #writtenAtMs = new Map<string, number>();

  has(link: string, sinceMs: number): boolean {
    return (this.#writtenAtMs.get(link) ?? Number.NEGATIVE_INFINITY) > sinceMs;
  }

  add(link: string, nowMs: number): void {
    this.#writtenAtMs.delete(link);
    this.#writtenAtMs.set(link, nowMs);
    if (this.#writtenAtMs.size <= MAX_LINKS) return;
    const [oldest] = this.#writtenAtMs.keys();
    if (oldest !== undefined) this.#writtenAtMs.delete(oldest);
  }
}

function linkOf({ event, profileId }: KeyedEvent): string | undefined {
  return event.releaseTo === null ? undefined : JSON.stringify([profileId, event.releaseTo]);
}

const OWN = `${SPACE_SOURCE}:`;

/** Whether the processor, or control in its name, has written the call: told by its key, it need not be decoded to be passed over. */
export function isOwn({ key }: Pick<RawRecord, "key">): boolean {
  return key?.startsWith(OWN) === true;
}

/** The step of the runner on calls: each becomes events of profiles; undefined is an own one. */
export function createKeyCalls({
  records,
  linkEveryMs,
  hasAccounts,
  nowMs,
  onKeyed,
  whenDeleted,
}: {
  readonly records: Pick<ProcessorRecords, "profileEvent">;
  /** A link is written again after so long, so that it is known that it is used; Infinity: nobody wants to know. */
  readonly linkEveryMs: number;
  /** Calls count for accounts, too. */
  hasAccounts(): boolean;
  nowMs(): number;
  /** Called for each call, with how many events it became. */
  onKeyed(events: number): void;
  /** The listener is called after each deletion, with its moment. */
  whenDeleted(listener: (deletedAtMs: number) => void): void;
}): Step<Call | undefined> {
  let known = new KnownLinks();
  let lastDeletedAtMs = Number.NEGATIVE_INFINITY;
  // It ends links of whoever was merged into the user, and another link of theirs, which had no effect then, has one now. Nobody here knows whose.
  whenDeleted((deletedAtMs) => {
    known = new KnownLinks();
    lastDeletedAtMs = Math.max(lastDeletedAtMs, deletedAtMs);
  });
  return ({ decoded }, settle) => {
    const produce: OutgoingRecord[] = [];
    const links: string[] = [];
    const now = nowMs();
    const knownThen = known;
    for (const one of decoded === undefined ? [] : profileEventsOf(decoded, hasAccounts())) {
      const link = linkOf(one);
      if (link !== undefined && knownThen.has(link, now - linkEveryMs)) continue;
      // One of before the deletion may have no effect: the next one is written, too.
      const isSure = (one.event.linkedAtMs ?? 0) > lastDeletedAtMs;
      if (link !== undefined && isSure) links.push(link);
      produce.push(records.profileEvent(one.profileId, one.event));
    }
    settle({
      produce,
      // Not before: a link that is known and not written would be lost. Nor after a deletion meanwhile.
      onDurable() {
        for (const link of links) knownThen.add(link, now);
        onKeyed(produce.length);
      },
    });
  };
}
