// Entries of a table that are replaced only from the version that was seen, whichever process wrote that (decision 75).
import type { PartitionWriter, TableWriter } from "#kafka";
import { versionOf } from "../http/entity-tag.ts";

/** The entry has changed since it was read, or is being changed: read it and decide again. */
export class StaleEdit extends Error {
  override readonly name = "StaleEdit";
}

export interface SoleWriter<V> {
  /**
   * Nobody else writes this entry from now on without being noticed by the broker, which then refuses what the returned writer sends: a process
   * that was cut off or frozen writes nothing behind its successor, however late it goes on. `before` is what was read, undefined for a new
   * entry. Rejects with a StaleEdit when it is not the newest any more, or with a KafkaError.
   */
  take(id: string, before: V | undefined): Promise<PartitionWriter>;
  /** `put` with what `take` gives, one entry after the other: of two that have seen the same version the second one is stale. */
  replace(edit: Replacement<V>, put: (after: V, only: PartitionWriter) => Promise<void>): Promise<void>;
}

export interface Replacement<V> {
  /** What was read or written last; undefined for a new entry. */
  readonly before: V | undefined;
  readonly after: V;
}

export function createSoleWriter<V extends { readonly id: string }>(
  entries: { get(id: string): V | undefined },
  writer: TableWriter,
): SoleWriter<V> {
  const [inTurn, replacedInTurn] = [createTurns(), createTurns()];
  async function take(id: string, before: V | undefined): Promise<PartitionWriter> {
    const only = await inTurn(() => writer.take(id));
    if (versionOf(entries.get(id)) !== versionOf(before))
      throw new StaleEdit(`another process has changed ${id}`);
    return { send: (record) => inTurn(() => only.send(record)) };
  }
  return {
    take,
    replace: ({ before, after }, put) => replacedInTurn(async () => put(after, await take(after.id, before))),
  };
}

/** Several entries may be written at once: a partition's writer takes one record after the other, and is not taken meanwhile. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
