// What work on every kind of replay has in common: its pace, and how far its record says it is.
import type { Host } from "#host";
import type { OutgoingRecord } from "#kafka";
import type { DestinationConfig, Replay, Topic } from "#topics";
import type { ReplayStore } from "../../records/replays/store.ts";
import type { DeletedUsers } from "../../resources/regulations/deleted-users.ts";
import { type Pace, paceOf } from "./pace.ts";

export interface SendingWork {
  readonly store: Pick<ReplayStore, "get" | "put" | "isCancelled">;
  readonly deletedUsers: Pick<DeletedUsers, "isOfDeleted">;
  readonly destination: (id: string) => DestinationConfig | undefined;
  /** Resolves when they are on all in-sync replicas. */
  readonly write: (records: readonly OutgoingRecord[]) => Promise<void>;
  readonly topic: Topic<"delivery-job">;
  readonly onReplayed: (calls: number) => void;
  readonly host: Host;
  nowMs(): number;
}

const PROGRESS_EVERY_MS = 1_000;

/** Writes a replay's progress, once a second at most. */
export function createSaving(begun: Replay, { store, host }: SendingWork) {
  let saved = begun;
  let savedAtMs = host.elapsed();
  const now = async (replay: Replay): Promise<void> => {
    if (replay === saved || store.isCancelled(replay.id)) return;
    await store.put(replay);
    saved = replay;
    savedAtMs = host.elapsed();
  };
  return {
    now,
    sometimes: async (replay: Replay): Promise<void> => {
      if (host.elapsed() - savedAtMs >= PROGRESS_EVERY_MS) await now(replay);
    },
  };
}

export function paceNow(replay: Replay, { destination }: SendingWork): Pace {
  const { callsPerSecond } = replay;
  const destinationId = replay.toDestinationId ?? replay.destinationId;
  const config = destinationId === null ? undefined : destination(destinationId);
  return paceOf(callsPerSecond, config?.maxRequestsPerSecond ?? null);
}

export async function end(replay: Replay, { store, nowMs }: SendingWork): Promise<void> {
  const state = store.isCancelled(replay.id) ? "cancelled" : "finished";
  await store.put({ ...replay, state, updatedAtMs: nowMs() });
}
