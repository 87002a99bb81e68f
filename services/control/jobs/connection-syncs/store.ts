import type { TableWriter } from "#kafka";
import type { ConnectionSync } from "#topics";
import { versionOf } from "../../http/entity-tag.ts";
import type { ConfigStore } from "../../records/config-store.ts";
import { StaleEdit } from "../../records/edited-store.ts";

interface Replacement {
  /** What was read or written last; undefined for the first one. */
  readonly before: ConnectionSync | undefined;
  readonly after: ConnectionSync;
}

export interface SyncStore extends Pick<ConfigStore<ConnectionSync>, "get" | "refresh"> {
  /**
   * Resolves when `after` is on all in-sync replicas and `get` gives it. Rejects with a StaleEdit or a KafkaError, "fenced" among them: a process
   * that was cut off or frozen writes nothing behind its successor, however late it goes on (decision 75).
   */
  replace(replacement: Replacement): Promise<void>;
}

export function createSyncStore(store: ConfigStore<ConnectionSync>, writer: TableWriter): SyncStore {
  let last: Promise<void> = Promise.resolve();
  async function replace({ before, after }: Replacement): Promise<void> {
    const only = await writer.take(after.id);
    if (versionOf(store.get(after.id)) !== versionOf(before))
      throw new StaleEdit(`another process has given members to ${after.id}`);
    await store.put(after, only);
  }
  return {
    get: (id) => store.get(id),
    refresh: () => store.refresh(),
    // A partition's writer takes one record at a time.
    replace(replacement) {
      const replaced = last.then(() => replace(replacement));
      last = replaced.catch(() => undefined);
      return replaced;
    },
  };
}
