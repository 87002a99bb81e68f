import { type Connection, connectService, type Ways } from "#connection";
import type { ServiceContext, SettingsOf } from "#runtime";
import type { settings } from "./config.ts";

export type ControlContext = ServiceContext<SettingsOf<typeof settings>>;

export function connect(context: ControlContext, ways: Ways): Connection {
  return connectService(
    context,
    (topics) => [
      topics.sourceConfig,
      topics.destinationConfig,
      topics.requestKeys,
      topics.auditLog,
      topics.replays,
      topics.regulations,
      topics.suppressions,
      topics.calls,
      topics.profileEvents,
      topics.profiles,
      topics.audienceConfig,
      topics.audienceProgress,
      topics.audienceSizes,
      topics.connectionSyncs,
      topics.membershipImports,
      topics.membershipImportRows,
      topics.routedCalls,
      topics.deliveryAttempts,
      topics.deliveryTotals,
      topics.deadLetters,
      topics.refusedCalls,
      topics.formerKeyUses,
      topics.hourlyStats,
      topics.dailyStats,
      topics.deliveryJobs,
      topics.deliveryWakes,
      topics.retryRequests,
      topics.endpointBreakers,
      topics.destinationHealth,
      topics.operationalEvents,
      topics.issueMarks,
    ],
    ways,
  );
}
