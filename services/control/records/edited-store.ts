// A config store whose entries are replaced only from the version that their editor has seen, whichever process wrote that.
import { KafkaError, type KafkaErrorCode, type PartitionWriter, type TableWriter } from "#kafka";
import type { Audit, AuditedResource } from "../http/audit/audit.ts";
import type { Actor } from "../http/caller.ts";
import { kafkaIsAway } from "../http/refresh.ts";
import type { ConfigStore } from "./config-store.ts";
import { createSoleWriter, type Replacement, StaleEdit } from "./sole-writer.ts";

const TOO_SLOW: ReadonlySet<KafkaErrorCode> = new Set(["delivery_timeout", "table_timeout", "unavailable"]);

export interface EditedStore<V> extends Omit<ConfigStore<V>, "put" | "remove"> {
  /**
   * Resolves when the audit log has it, `after` is on all in-sync replicas and `get` gives it; `before` is what `get` gave, undefined for a new entry. Rejects with a
   * StaleEdit when it is not the newest any more, nothing being written; otherwise as `put` of a config store.
   */
  replace(edit: Edit<V>): Promise<void>;
  /** As `replace`, where nobody asked for it: the audit log has nothing of it. */
  rewrite(edit: Replacement<V>): Promise<void>;
  /** As `replace`, with the entry's end. */
  discard(before: V, by: Actor): Promise<void>;
}

interface Edit<V> extends Replacement<V> {
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

export function createEditedStore<V extends { readonly id: string }>(
  audited: AuditedStore<V>,
  writer: TableWriter,
): EditedStore<V> {
  const { store } = audited;
  const sole = createSoleWriter(store, writer);
  const take = (id: string, before: V | undefined): Promise<PartitionWriter> =>
    awayWhenTooSlow(() => sole.take(id, before));
  return {
    get: (id) => store.get(id),
    get size() {
      return store.size;
    },
    refresh: () => store.refresh(),
    replace: ({ before, after, by }) =>
      staleWhenFenced(after.id, async () => {
        const only = await take(after.id, before);
        await noted(audited, { before, after, by }, () => store.put(after, only));
      }),
    rewrite: ({ before, after }) =>
      staleWhenFenced(after.id, async () => store.put(after, await take(after.id, before))),
    discard: (before, by) =>
      staleWhenFenced(before.id, async () => {
        const only = await take(before.id, before);
        await noted(audited, { before, after: undefined, by }, () => store.remove(before.id, only));
      }),
  };
}

/** Rejects with an "unavailable" problem when Kafka does not answer in time: a writer that holds nothing has written nothing. */
async function awayWhenTooSlow<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KafkaError && TOO_SLOW.has(error.code)) throw kafkaIsAway();
    throw error;
  }
}

async function staleWhenFenced(id: string, edit: () => Promise<void>): Promise<void> {
  try {
    await edit();
  } catch (error) {
    if (!isFenced(error)) throw error;
    throw new StaleEdit(`another process is changing ${id}`);
  }
}

/** Nothing was written: what may have been is another error. */
function isFenced(error: unknown): error is KafkaError {
  return error instanceof KafkaError && error.code === "fenced";
}

interface Noted<V> extends Pick<Edit<V>, "before" | "by"> {
  readonly after: V | undefined;
}

/** The entry is durable before anything is written; when that is refused the entry says so. */
async function noted<V extends { readonly id: string }>(
  { audit, resourceOf, show }: AuditedStore<V>,
  { before, after, by }: Noted<V>,
  write: () => Promise<void>,
): Promise<void> {
  const value = after ?? before;
  if (value === undefined) return;
  const shown = {
    before: before === undefined ? null : show(before),
    after: after === undefined ? null : show(after),
  };
  const whatIsThere = shown.before === null ? "created" : "updated";
  const action = shown.after === null ? "deleted" : whatIsThere;
  const entry = await audit.record({
    by,
    action,
    resource: resourceOf(value),
    resourceId: value.id,
    ...shown,
  });
  try {
    await write();
  } catch (error) {
    if (isFenced(error)) await entry.notMade();
    throw error;
  }
}
