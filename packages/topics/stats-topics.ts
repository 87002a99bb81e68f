// Topics of statistics that outlive what they were counted from (decision 129).
import { KEPT_MS } from "./retention.ts";
import { keptFor, type Topic } from "./topic.ts";

export interface StatsTopics {
  readonly hourlyStats: Topic<"stats-rollup">;
  readonly dailyStats: Topic<"stats-rollup">;
}

export function statsTopics({ prefix }: { readonly prefix: string }): StatsTopics {
  const topic = (name: string, retentionMs: number): Topic<"stats-rollup"> => ({
    name: `${prefix}${name}`,
    key: "sourceId:destinationId",
    record: "stats-rollup",
    cleanup: keptFor(retentionMs),
    writtenBy: ["control"],
    readBy: ["control"],
  });
  return {
    hourlyStats: topic("hourly-stats", KEPT_MS.hourlyStats),
    dailyStats: topic("daily-stats", KEPT_MS.dailyStats),
  };
}
