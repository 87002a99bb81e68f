// Replays as their topic holds them: what was asked for, and how far it is.
import type { Producer, Table } from "#kafka";
import type { Serde } from "#serde";
import type { Replay, Topic } from "#topics";
import { OldestFirst } from "../oldest-first.ts";
import { sentUpTo } from "./cursor.ts";

export interface ReplayStore {
  /** False for the first moments of a process, in which not every replay is known. */
  readonly isLoaded: boolean;
  /** Resolves when what other processes wrote before the call is known; waits while Kafka is away. */
  refresh(): Promise<void>;
  /** The furthest that was written of it: a process that was cut off may write behind its successor how far it had come. */
  get(id: string): Replay | undefined;
  /** Whether the topic's newest record says so, too; else `get` gives what is to be written once more. */
  isAsWritten(id: string): boolean;
  /** Oldest first. */
  list(): Replay[];
  /** Whether it was cancelled once, whatever was written to it since: progress may have been under way. */
  isCancelled(id: string): boolean;
  /** Resolves when it is on all in-sync replicas. Rejects with a KafkaError. */
  put(replay: Replay): Promise<void>;
  /** As `put`, and `get` gives this one or a later one. */
  putVisibly(replay: Replay): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

export interface ReplayStoreOptions {
  readonly topic: Topic<"replay">;
  readonly table: Pick<Table<Replay>, "get" | "entries" | "load" | "loaded" | "until" | "onChange">;
  readonly producer: Pick<Producer, "send">;
  readonly serde: Pick<Serde, "encode">;
}

const VISIBLE_WITHIN_MS = 10_000;

export function createReplayStore({ topic, table, producer, serde }: ReplayStoreOptions): ReplayStore {
  const cancelled = new Set<string>();
  const furthest = new Map<string, Replay>();
  const oldestFirst = new OldestFirst(() => furthest.values());
  const note = (id: string, replay: Replay | undefined): void => {
    const before = furthest.get(id);
    const after = replay && further(before, replay);
    if (replay?.state === "cancelled") cancelled.add(id);
    if (after === undefined) cancelled.delete(id);
    if (after === undefined) furthest.delete(id);
    else furthest.set(id, after);
    oldestFirst.changed(before, after);
  };
  for (const [id, replay] of table.entries()) note(id, replay);
  table.onChange(note);

  const put = (replay: Replay): Promise<void> =>
    producer.send([{ topic: topic.name, key: replay.id, value: serde.encode(topic, replay) }]);

  return {
    get isLoaded() {
      return table.loaded;
    },
    refresh: () => table.load(),
    get: (id) => furthest.get(id),
    isAsWritten: (id) => furthest.get(id) === table.get(id),
    list: () => oldestFirst.list(),
    isCancelled: (id) => cancelled.has(id),
    put,
    async putVisibly(replay) {
      await put(replay);
      const isVisible = (): boolean => (furthest.get(replay.id)?.updatedAtMs ?? 0) >= replay.updatedAtMs;
      await table.until(isVisible, VISIBLE_WITHIN_MS);
    },
    remove: (ids) => producer.send(ids.map((id) => ({ topic: topic.name, key: id, value: null }))),
  };
}

/** What has ended does not run again, and no cursor goes back. */
function further(known: Replay | undefined, comes: Replay): Replay {
  if (known === undefined) return comes;
  const goesBack = isRunning(comes) ? !isRunning(known) || sentUpTo(comes) < sentUpTo(known) : false;
  return goesBack ? known : comes;
}

const isRunning = ({ state }: Replay): boolean => state === "running";
