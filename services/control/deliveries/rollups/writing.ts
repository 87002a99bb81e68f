// Writes roll-ups of hours and days that the index has to their topics, which keep them for longer than anything they were counted from. Durable, then done: a process that dies in
// between writes the same once more. Several processes of control count the same; whoever comes first writes.
import type { Host } from "#host";
import type { Producer } from "#kafka";
import type { Serde } from "#serde";
import { statsKey, type TopicMap } from "#topics";
import { nextTurn } from "../../http/next-turn.ts";
import type { DueRollup } from "../index/delivery-index.ts";
import { STEP_MS } from "../index/eras.ts";
import { INDEXED } from "../index/indexed.ts";
import type { Deliveries } from "../index/open.ts";
import { isUpToDate } from "../index/progress.ts";

export interface RollupParts {
  readonly deliveries: {
    readonly index: Pick<Deliveries["index"], "dueRollups" | "settleRollups">;
    readonly progress: Pick<Deliveries["progress"], "indexedUntilMs">;
  };
  readonly producer: Pick<Producer, "send">;
  readonly serde: Pick<Serde, "encode">;
  readonly topics: Pick<TopicMap, "hourlyStats" | "dailyStats">;
  readonly host: Pick<Host, "setImmediate">;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/** Roll-ups of one batch, whose counts are summed in one turn. */
const BATCH = 20;

/** All that are due, unless the index is behind. */
export async function writeRollups(parts: RollupParts): Promise<void> {
  const { deliveries, host, nowMs, signal } = parts;
  while (!signal.aborted && isUpToDate(deliveries.progress, INDEXED, nowMs())) {
    const due = await deliveries.index.dueRollups(BATCH);
    if (due.length === 0) return;
    const news = due.filter(({ isNews }) => isNews);
    if (news.length > 0) await parts.producer.send(news.map((each) => recordOf(parts, each)));
    await deliveries.index.settleRollups(due);
    await nextTurn(host);
  }
}

function recordOf({ serde, topics }: RollupParts, { record, stepMs }: DueRollup) {
  const topic = stepMs === STEP_MS.day ? topics.dailyStats : topics.hourlyStats;
  return { topic: topic.name, key: statsKey(record), value: serde.encode(topic, record) };
}
