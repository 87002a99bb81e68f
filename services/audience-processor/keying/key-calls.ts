import { SPACE_SOURCE } from "#contract";
import type { OutgoingRecord, RawRecord, Step } from "#kafka";
import type { Call } from "#topics";
import type { ProcessorRecords } from "../records.ts";
import { type KeyedEvent, profileEventsOf } from "./profile-events.ts";

/** Links that were written already and need not be written with each call. A process that forgets one writes it again. */
const MAX_LINKS = 50_000;

class KnownLinks {
  readonly #links = new Set<string>();

  has(link: string): boolean {
    return this.#links.has(link);
  }

  add(link: string): void {
    this.#links.add(link);
    if (this.#links.size <= MAX_LINKS) return;
    const [oldest] = this.#links;
    if (oldest !== undefined) this.#links.delete(oldest);
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
  onKeyed,
}: {
  readonly records: Pick<ProcessorRecords, "profileEvent">;
  /** Called for each call, with how many events it became. */
  onKeyed(events: number): void;
}): Step<Call | undefined> {
  const known = new KnownLinks();
  return ({ decoded }, settle) => {
    const produce: OutgoingRecord[] = [];
    const links: string[] = [];
    for (const one of decoded === undefined ? [] : profileEventsOf(decoded)) {
      const link = linkOf(one);
      if (link !== undefined && known.has(link)) continue;
      if (link !== undefined) links.push(link);
      produce.push(records.profileEvent(one.profileId, one.event));
    }
    settle({
      produce,
      // Not before: a link that is known and not written would be lost.
      onDurable() {
        for (const link of links) known.add(link);
        onKeyed(produce.length);
      },
    });
  };
}
