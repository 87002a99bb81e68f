import type { Replay } from "#topics";
import { START_MS } from "../delivery-index/records.fixture.ts";

export function replay(changes: Partial<Replay> = {}): Replay {
  return {
    id: "rpl_1",
    ids: null,
    destinationId: "d1",
    reason: null,
    fromMs: null,
    toMs: null,
    callsPerSecond: null,
    state: "running",
    ends: [100, 100],
    matched: 0,
    replayed: 0,
    skipped: 0,
    expired: 0,
    cursor: null,
    createdAtMs: START_MS,
    updatedAtMs: START_MS,
    ...changes,
  };
}
