import type { TableWriter } from "#kafka";
import type { ConnectionSync } from "#topics";
import type { ConfigStore } from "../../records/config-store.ts";
import { createSoleWriter, type Replacement } from "../../records/sole-writer.ts";

export interface SyncStore extends Pick<ConfigStore<ConnectionSync>, "get" | "refresh"> {
  /** Resolves when `after` is on all in-sync replicas and `get` gives it. Rejects with a StaleEdit or a KafkaError, "fenced" among them. */
  replace(replacement: Replacement<ConnectionSync>): Promise<void>;
}

export function createSyncStore(store: ConfigStore<ConnectionSync>, writer: TableWriter): SyncStore {
  const sole = createSoleWriter(store, writer);
  return {
    get: (id) => store.get(id),
    refresh: () => store.refresh(),
    replace: (replacement) => sole.replace(replacement, (after, only) => store.put(after, only)),
  };
}
