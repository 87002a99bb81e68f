import type { Step } from "#kafka";
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

/** The step of the runner on calls: each becomes events of profiles. */
export function createKeyCalls({
  records,
  onKeyed,
}: {
  readonly records: Pick<ProcessorRecords, "profileEvent">;
  /** Called for each call, with how many events it became. */
  onKeyed(events: number): void;
}): Step<Call> {
  const known = new KnownLinks();
  return ({ decoded }, settle) => {
    const events = profileEventsOf(decoded).filter((one) => !known.has(linkOf(one) ?? ""));
    settle({
      produce: events.map(({ event, profileId }) => records.profileEvent(profileId, event)),
      // Not before: a link that is known and not written would be lost.
      onDurable() {
        for (const one of events) {
          const link = linkOf(one);
          if (link !== undefined) known.add(link);
        }
        onKeyed(events.length);
      },
    });
  };
}
