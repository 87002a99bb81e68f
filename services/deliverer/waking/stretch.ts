import type { Claim, Ownership, RawRecord, Settle } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { PassParts, PassResult, WakeRange } from "./parts.ts";
import { WakeProgress } from "./progress.ts";

/** What is between two cursors is what a crash doubles; also how often other processes' cursors are written anew. */
const CURSOR_INTERVAL_MS = 1_000;

/** A destination that waits for one of the endpoints. */
interface Woken {
  readonly endpoint: string;
  readonly progress: WakeProgress;
}

/** One pass's way through one partition of one retry topic. */
export class Stretch {
  readonly #bounds: Omit<WakeRange, "onRecord">;
  readonly #endpoints: ReadonlySet<string>;
  readonly #parts: PassParts;
  readonly #ownership: Ownership;
  /** By destination, decided at its first job: a change of its configuration must not let a later one fall between. */
  readonly #destinations = new Map<string, Woken | undefined>();
  readonly #idle = Promise.withResolvers<void>();
  #inHand = 0;
  /** First offset that was not looked at. */
  #readTo: number;
  #isRead = false;
  #cursorsAtMs: number;

  constructor(bounds: Omit<WakeRange, "onRecord">, endpoints: ReadonlySet<string>, parts: PassParts) {
    this.#bounds = bounds;
    this.#endpoints = endpoints;
    this.#parts = parts;
    this.#ownership = parts.ownership(bounds);
    this.#readTo = bounds.fromOffset;
    this.#cursorsAtMs = parts.nowMs();
  }

  async run(): Promise<PassResult> {
    const { signal, toOffset } = this.#bounds;
    await this.#read();
    if (!signal.aborted) this.#readTo = toOffset;
    this.#isRead = true;
    if (this.#inHand > 0) await this.#idle.promise;
    await this.#writeCursors();
    let taken = 0;
    let returned = 0;
    for (const { progress } of this.#woken()) {
      taken += progress.taken;
      returned += progress.returned;
    }
    return { taken, returned };
  }

  async #read(): Promise<void> {
    const { signal } = this.#bounds;
    try {
      await this.#parts.readRange({ ...this.#bounds, onRecord: (record) => this.#look(record) });
    } catch (thrown) {
      // What was taken is brought to its end all the same.
      if (!signal.aborted) throw thrown;
    }
  }

  #woken(): Woken[] {
    return [...this.#destinations.values()].filter((woken) => woken !== undefined);
  }

  /** Synchronous for what stays where it is, which may be a million records. */
  #look(record: RawRecord): void | Promise<void> {
    const destinationId = destinationOf(record);
    const woken = destinationId === undefined ? undefined : this.#wokenDestination(destinationId);
    const stays =
      destinationId === undefined ||
      woken === undefined ||
      woken.progress.isStopped ||
      this.#parts.cursors.isTaken({ ...record, destinationId });
    if (!stays) return this.#take(record, woken).then(() => this.#looked(record));
    this.#readTo = record.offset + 1;
  }

  async #looked({ offset }: RawRecord): Promise<void> {
    this.#readTo = offset + 1;
    if (this.#parts.nowMs() - this.#cursorsAtMs >= CURSOR_INTERVAL_MS) await this.#writeCursors();
  }

  #wokenDestination(destinationId: string): Woken | undefined {
    if (this.#destinations.has(destinationId)) return this.#destinations.get(destinationId);
    const state = this.#parts.destination(destinationId);
    const endpoint =
      state.kind === "open"
        ? [...state.webhooks.values()]
            .map((webhook) => webhook.endpoint)
            .find((each) => this.#endpoints.has(each))
        : undefined;
    const woken = endpoint === undefined ? undefined : { endpoint, progress: new WakeProgress() };
    this.#destinations.set(destinationId, woken);
    return woken;
  }

  async #take(record: RawRecord, woken: Woken): Promise<void> {
    const { endpoint, progress } = woken;
    const hasRoom = await this.#parts.room.wait(endpoint, this.#bounds.signal);
    if (!hasRoom || !this.#ownership.isOurs) return progress.stop(record.offset);
    const job = await this.#decode(record);
    // What cannot be read is the topic's reader's to bury.
    if (job === undefined || !progress.take(record.offset)) return;
    this.#inHand += 1;
    // Due now, or the step would let it hop on.
    const dueAtMs = Math.min(job.dueAtMs, this.#parts.nowMs());
    const received = { ...record, decoded: { ...job, dueAtMs } };
    this.#parts.step(received, this.#settling(record, woken), this.#claim(woken));
  }

  #settling({ offset }: RawRecord, { endpoint, progress }: Woken): Settle {
    return ({ produce, onDurable }) => {
      const written = produce.length === 0 ? Promise.resolve() : this.#parts.write(produce);
      // What cannot be written, at the process's end, stays in hand: no cursor goes past it.
      void written.then(
        () => {
          onDurable?.();
          progress.durable(offset, { isBack: produce.length > 0 });
          this.#ended(endpoint);
        },
        () => undefined,
      );
    };
  }

  /** What is given back stays where it is, and no cursor goes past it. */
  #claim({ endpoint }: Woken): Claim {
    const ownership = this.#ownership;
    return {
      get isOurs() {
        return ownership.isOurs;
      },
      giveBack: () => this.#ended(endpoint),
    };
  }

  async #decode(record: RawRecord): Promise<DeliveryJob | undefined> {
    try {
      return await this.#parts.decode(record);
    } catch {
      return undefined;
    }
  }

  #ended(endpoint: string): void {
    this.#inHand -= 1;
    this.#parts.room.freed(endpoint);
    if (this.#isRead && this.#inHand === 0) this.#idle.resolve();
  }

  async #writeCursors(): Promise<void> {
    this.#cursorsAtMs = this.#parts.nowMs();
    const { topic, partition } = this.#bounds;
    const atMs = this.#cursorsAtMs;
    const advances: Promise<void>[] = [];
    for (const [destinationId, woken] of this.#destinations) {
      const belowOffset = woken?.progress.belowOffset(this.#readTo) ?? 0;
      if (woken !== undefined && belowOffset > this.#bounds.fromOffset) {
        advances.push(this.#parts.cursors.advance({ destinationId, topic, partition, belowOffset, atMs }));
      }
    }
    await Promise.all(advances);
  }
}

/** From the key, `destinationId:shard`, so that only what may be woken is decoded. */
function destinationOf({ key, value }: RawRecord): string | undefined {
  const end = key?.lastIndexOf(":") ?? -1;
  return key === null || value === null || end < 1 ? undefined : key.slice(0, end);
}
