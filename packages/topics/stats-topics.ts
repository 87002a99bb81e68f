// Topics of statistics that outlive what they were counted from (decision 129).
import { KEPT_MS } from "./retention.ts";
import { keptFor, topic } from "./topic.ts";

export function statsTopics({ prefix }: { readonly prefix: string }) {
  const rollups = (name: string, retentionMs: number) =>
    topic({
      name: `${prefix}${name}`,
      key: "sourceId:destinationId",
      record: "stats-rollup",
      cleanup: keptFor(retentionMs),
      writtenBy: ["control"],
      readBy: ["control"],
    });
  return {
    hourlyStats: rollups("hourly-stats", KEPT_MS.hourlyStats),
    dailyStats: rollups("daily-stats", KEPT_MS.dailyStats),
  };
}
