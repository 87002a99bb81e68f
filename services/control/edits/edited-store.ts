// A config store whose entries are replaced only from the version that their editor has seen, whichever process wrote that.
import type { Host } from "#host";
import type { Producer, Table } from "#kafka";
import type { Serde } from "#serde";
import type { EditLock, Topic } from "#topics";
import type { Audit, AuditedResource } from "../audit/audit.ts";
import type { ConfigStore } from "../config-store.ts";
import type { Actor } from "../http/caller.ts";
import { refreshAll } from "../refresh.ts";
import type { EditLocks } from "./edit-locks.ts";
import { entityTag } from "./entity-tag.ts";

/** The entry has changed since it was read, or is being changed: read it and decide again. */
export class StaleEdit extends Error {
  override readonly name = "StaleEdit";
}

export interface EditedStore<V> extends Omit<ConfigStore<V>, "put" | "remove"> {
  /**
   * Resolves when the audit log has it, `after` is on all in-sync replicas and `get` gives it; `before` is what `get` gave, undefined for a new entry. Rejects with a
   * StaleEdit when it is not the newest any more, nothing being written; otherwise as `put` of a config store.
   */
  replace(edit: Replacement<V>): Promise<void>;
  /** As `replace`, with the entry's end. */
  discard(before: V, by: Actor): Promise<void>;
}

interface Replacement<V> {
  readonly before: V | undefined;
  readonly after: V;
  readonly by: Actor;
}

/** How the audit log speaks of the entries. */
interface AuditedStore<V> {
  readonly store: ConfigStore<V>;
  readonly audit: Audit;
  readonly resourceOf: (value: V) => AuditedResource;
  /** Without secrets; null of what is gone. */
  readonly show: (value: V) => object | null;
}

export interface LockParts {
  readonly locks: EditLocks;
  readonly topic: Topic<"edit-lock">;
  readonly table: Pick<Table<EditLock>, "until">;
  readonly producer: Pick<Producer, "send">;
  readonly serde: Pick<Serde, "encode">;
  /** This process. */
  readonly holder: string;
  /** Counts this process's locks, of all stores. */
  readonly nextNumber: () => number;
  readonly host: Pick<Host, "setTimeout">;
  nowMs(): number;
}

/** What was acknowledged is read back within milliseconds. */
const VISIBLE_WITHIN_MS = 10_000;

export function createEditedStore<V extends { readonly id: string }>(
  audited: AuditedStore<V>,
  parts: LockParts,
): EditedStore<V> {
  const { store } = audited;
  const versionOf = (value: V | undefined): string => (value === undefined ? "" : entityTag(value));
  /** After it nobody else writes this entry, for as long as a lock holds. */
  async function take(id: string, before: V | undefined): Promise<void> {
    const version = versionOf(before);
    const taken = await isTaken(parts, id, version);
    // What was written before the lock.
    await refreshAll([store], parts.host);
    if (!taken) throw new StaleEdit(`another process is changing ${id}`);
    if (versionOf(store.get(id)) !== version) throw new StaleEdit(`another process has changed ${id}`);
  }
  return {
    get: (id) => store.get(id),
    list: () => store.list(),
    get size() {
      return store.size;
    },
    refresh: () => store.refresh(),
    async replace({ before, after, by }) {
      await take(after.id, before);
      await note(audited, { before, after, by });
      await store.put(after);
    },
    async discard(before, by) {
      await take(before.id, before);
      await note(audited, { before, after: undefined, by });
      await store.remove(before.id);
    },
  };
}

async function isTaken(parts: LockParts, id: string, version: string): Promise<boolean> {
  const { locks, topic, table, producer, serde, holder } = parts;
  const number = parts.nextNumber();
  const lock: EditLock = { id, version, holder, number, atMs: parts.nowMs() };
  await producer.send([{ topic: topic.name, key: id, value: serde.encode(topic, lock) }]);
  await table.until(() => locks.hasRead(holder, number), VISIBLE_WITHIN_MS);
  return locks.holder(id, version) === holder;
}

interface Noted<V> extends Pick<Replacement<V>, "before" | "by"> {
  readonly after: V | undefined;
}

async function note<V extends { readonly id: string }>(
  { audit, resourceOf, show }: AuditedStore<V>,
  { before, after, by }: Noted<V>,
): Promise<void> {
  const value = after ?? before;
  if (value === undefined) return;
  const shown = {
    before: before === undefined ? null : show(before),
    after: after === undefined ? null : show(after),
  };
  const whatIsThere = shown.before === null ? "created" : "updated";
  const action = shown.after === null ? "deleted" : whatIsThere;
  await audit.record({ by, action, resource: resourceOf(value), resourceId: value.id, ...shown });
}
