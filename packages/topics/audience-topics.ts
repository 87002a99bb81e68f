// Topics of audiences and computed traits.
import { KEPT_MS } from "./retention.ts";
import { COMPACT, keptFor, topic } from "./topic.ts";

interface AudienceTopicsOptions {
  readonly prefix: string;
  readonly profileEventsKeptMs?: number;
}

/** In which who owns a partition finds what a former owner wrote late, before it stands for what it is older than (decision 50). */
const PROFILES_MENDED_WITHIN_MS = 3_600_000;

export function audienceTopics(options: AudienceTopicsOptions) {
  return {
    ...profileTopics(options),
    ...computationTopics(options),
    ...importTopics(options),
  };
}

/** What happens to profiles, and what is kept of them. */
function profileTopics({ prefix, profileEventsKeptMs }: AudienceTopicsOptions) {
  return {
    profileEvents: topic({
      name: `${prefix}profile-events`,
      key: "profile id",
      record: "profile-event",
      cleanup: keptFor(profileEventsKeptMs ?? KEPT_MS.profileEvents),
      writtenBy: ["audience-processor", "control"],
      readBy: ["audience-processor"],
    }),
    /** Partition p of it holds the profiles of partition p of profileEvents: both are keyed by the profile's id. */
    profiles: topic({
      name: `${prefix}profiles`,
      key: "profile id",
      record: "profile",
      cleanup: { policy: "compact", minCompactionLagMs: PROFILES_MENDED_WITHIN_MS },
      writtenBy: ["audience-processor"],
      readBy: ["audience-processor", "control"],
    }),
  };
}

/** Audiences and computed traits, and how far each partition of profiles is with them. */
function computationTopics({ prefix }: AudienceTopicsOptions) {
  return {
    audienceConfig: topic({
      name: `${prefix}audience-config`,
      key: "id of the audience or computed trait",
      record: "audience-config",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["audience-processor", "control"],
    }),
    audienceProgress: topic({
      name: `${prefix}audience-progress`,
      key: "id of the audience or computed trait:partition",
      record: "audience-progress",
      cleanup: COMPACT,
      writtenBy: ["audience-processor"],
      readBy: ["audience-processor", "control"],
    }),
    /** How many were in each audience and list, by day. */
    audienceSizes: topic({
      name: `${prefix}audience-sizes`,
      key: "id of the audience or list:partition:day",
      record: "audience-size",
      cleanup: COMPACT,
      writtenBy: ["audience-processor"],
      readBy: ["audience-processor", "control"],
    }),
  };
}

/** Uploaded lists of members, and the destinations that are given members. */
function importTopics({ prefix }: AudienceTopicsOptions) {
  return {
    membershipImports: topic({
      name: `${prefix}membership-imports`,
      key: "audienceId:importId",
      record: "membership-import",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["control"],
    }),
    /** What imports are made of. All rows of one import are in one partition. */
    membershipImportRows: topic({
      name: `${prefix}membership-import-rows`,
      key: "audienceId:importId",
      record: "membership-import-rows",
      cleanup: keptFor(KEPT_MS.membershipImportRows),
      writtenBy: ["control"],
      readBy: ["control"],
    }),
    /** Which destinations are connected to the source of audiences, and have its members. */
    connectionSyncs: topic({
      name: `${prefix}connection-syncs`,
      key: "destinationId",
      record: "connection-sync",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["control"],
    }),
  };
}
