// Imports as their topic holds them, and the order in which those of one list are applied.
import type { Producer, Table } from "#kafka";
import type { Serde } from "#serde";
import type { MembershipImport, Topic } from "#topics";
import { type ConfigStore, createConfigStore } from "../../records/config-store.ts";
import { further } from "./import.ts";

export interface ImportQueue extends Pick<ConfigStore<MembershipImport>, "refresh" | "put"> {
  /** The furthest that was written of it: a process that was cut off may write behind its successor how far it had come. */
  get(id: string): MembershipImport | undefined;
  /** The furthest that was written of each. */
  all(): Iterable<MembershipImport>;
  /** Resolves when their ends are on all in-sync replicas. */
  remove(ids: readonly string[]): Promise<void>;
  /** Whether the topic's newest record says so, too; else `get` gives what is to be written once more. */
  isAsWritten(id: string): boolean;
  /** False for the first moments of a process, in which not every import is known. */
  readonly isLoaded: boolean;
  /** A moment behind that of every import of the list. */
  nextPlaceMs(audienceId: string, nowMs: number): number;
  /** Resolves when no import of the list that came before is waiting or under way: each is compared with what the ones before have made. */
  untilOlderHaveEnded(one: MembershipImport, signal: AbortSignal): Promise<void>;
}

export interface ImportQueueParts {
  readonly topic: Topic<"membership-import">;
  readonly table: Table<MembershipImport>;
  readonly producer: Producer;
  readonly serde: Serde;
}

/** How soon one who waits sees that it has to end. */
const LOOK_MS = 1_000;

export function createImportQueue(parts: ImportQueueParts): ImportQueue {
  const { producer, table, topic } = parts;
  const store = createConfigStore(parts);
  const furthest = followFurthest(table);
  const ofList = (audienceId: string): MembershipImport[] =>
    [...furthest.values()].filter((other) => other.audienceId === audienceId);
  return {
    get isLoaded() {
      return table.loaded;
    },
    get: (id) => furthest.get(id),
    all: () => furthest.values(),
    remove: (ids) => producer.send(ids.map((key) => ({ topic: topic.name, key, value: null }))),
    isAsWritten: (id) => furthest.get(id) === table.get(id),
    refresh: store.refresh,
    put: store.put,
    nextPlaceMs: (audienceId, nowMs) =>
      ofList(audienceId).reduce((latest, { queuedAtMs }) => Math.max(latest, queuedAtMs + 1), nowMs),
    async untilOlderHaveEnded(one, signal) {
      const isFirst = (): boolean =>
        !ofList(one.audienceId).some((other) => other.state === "staged" && isBefore(other, one));
      while (!isFirst()) {
        signal.throwIfAborted();
        await table.until(isFirst, LOOK_MS).catch(() => undefined);
      }
    },
  };
}

function followFurthest(table: Table<MembershipImport>): ReadonlyMap<string, MembershipImport> {
  const furthest = new Map<string, MembershipImport>();
  const note = (id: string, one: MembershipImport | undefined): void => {
    if (one === undefined) furthest.delete(id);
    else furthest.set(id, further(furthest.get(id), one));
  };
  for (const [id, one] of table.entries()) note(id, one);
  table.onChange(note);
  return furthest;
}

function isBefore(one: MembershipImport, other: MembershipImport): boolean {
  const order = one.queuedAtMs - other.queuedAtMs;
  return order < 0 || (order === 0 && one.id < other.id);
}
