// Who may write the next version of something, when several processes of control change it at once. Kafka has no compare-and-set; its log has
// an order: of the locks for one version the first one holds, and every process reads them in that order.
import type { EditLock } from "#topics";

/**
 * A process that takes longer from its lock to its write is taken for dead. It gives its write up after five seconds by itself; the rest is for
 * clocks that differ.
 */
const HELD_FOR_MS = 20_000;

/** Fed with every lock of the topic, in the order of each key. */
export class EditLocks {
  /** By what is edited, then by version. */
  readonly #byId = new Map<string, Map<string, EditLock>>();
  /** By holder: the number of the newest lock. */
  readonly #numbers = new Map<string, number>();

  observe(lock: EditLock): void {
    const { id, version, holder, number } = lock;
    this.#numbers.set(holder, Math.max(number, this.#numbers.get(holder) ?? 0));
    const locks = this.#byId.get(id) ?? new Map<string, EditLock>();
    this.#byId.set(id, locks);
    const isTaken = isHeld(locks.get(version), lock);
    for (const [other, { atMs }] of locks) if (isOver(atMs, lock.atMs)) locks.delete(other);
    // It was there to be edited, so whoever made it has done so; it may be made again once it is deleted.
    if (version !== "") locks.delete("");
    if (!isTaken) locks.set(version, lock);
  }

  /** Whether this lock of the holder was read, and so every one before it that is of the same thing. A holder takes one at a time. */
  hasRead(holder: string, number: number): boolean {
    return (this.#numbers.get(holder) ?? 0) >= number;
  }

  /** Who may write the next version; undefined when nobody asked for that. */
  holder(id: string, version: string): string | undefined {
    return this.#byId.get(id)?.get(version)?.holder;
  }
}

/** The same process may try again what failed. */
function isHeld(held: EditLock | undefined, { holder, atMs }: EditLock): boolean {
  return held !== undefined && held.holder !== holder && !isOver(held.atMs, atMs);
}

function isOver(sinceMs: number, nowMs: number): boolean {
  return nowMs - sinceMs >= HELD_FOR_MS;
}
