import type { Host } from "#host";
import type { Indexed } from "./indexed.ts";

/** How far one partition was read. */
export interface Reached {
  readonly nextOffset: number;
  /** Everything that was written to it before is indexed (Unix ms). */
  readonly atMs: number;
}

const LOOK_EVERY_MS = 25;
/** An index that is further behind does not know all that there is. */
const UP_TO_DATE_MS = 60_000;

/** How far the index is. */
export class Progress {
  readonly #partitions = new Map<Indexed, number>();
  readonly #reached = new Map<string, Reached>();
  readonly #host: Pick<Host, "elapsed" | "delay">;

  constructor(host: Pick<Host, "elapsed" | "delay">) {
    this.#host = host;
  }

  /** A topic has at least so many partitions. */
  counted(kind: Indexed, partitions: number): void {
    this.#partitions.set(kind, Math.max(partitions, this.#partitions.get(kind) ?? 0));
  }

  reached(kind: Indexed, partition: number, reached: Reached): void {
    this.#reached.set(`${kind}/${partition}`, reached);
  }

  /** How far each partition was read, by its number. */
  offsets(kind: Indexed): number[] {
    const partitions = this.#partitions.get(kind) ?? 0;
    return Array.from({ length: partitions }, (_, at) => this.#reached.get(`${kind}/${at}`)?.nextOffset ?? 0);
  }

  /** Nothing is indexed any more. */
  forget(): void {
    this.#partitions.clear();
    this.#reached.clear();
  }

  /** The time up to which everything is there (Unix ms); undefined until every partition was looked at. */
  indexedUntilMs(kind: Indexed): number | undefined {
    const timesMs: number[] = [];
    for (let partition = 0; partition < (this.#partitions.get(kind) ?? 0); partition += 1) {
      const reached = this.#reached.get(`${kind}/${partition}`);
      if (reached === undefined) return undefined;
      timesMs.push(reached.atMs);
    }
    return timesMs.length === 0 ? undefined : Math.min(...timesMs);
  }

  /** Whether everything below these offsets, by partition number, is there. False when it does not come so far in time. */
  async untilCovers(kind: Indexed, ends: readonly number[], timeoutMs: number): Promise<boolean> {
    const lateAtMs = this.#host.elapsed() + timeoutMs;
    const isThere = (end: number, partition: number): boolean =>
      (this.#reached.get(`${kind}/${partition}`)?.nextOffset ?? -1) >= end;
    while (!ends.every(isThere)) {
      if (this.#host.elapsed() >= lateAtMs) return false;
      await this.#host.delay(LOOK_EVERY_MS);
    }
    return true;
  }
}

/** Whether what is not in the index is nowhere: it is not while records are read that were written long ago. */
export function isUpToDate(
  progress: Pick<Progress, "indexedUntilMs">,
  kinds: readonly Indexed[],
  nowMs: number,
): boolean {
  return kinds.every((kind) => (progress.indexedUntilMs(kind) ?? 0) >= nowMs - UP_TO_DATE_MS);
}
