// What a regulation becomes in Kafka.
import { userProfileId } from "#audiences";
import { deleteBody, deletionMessageId, suppressionOf } from "#contract";
import type { OutgoingRecord } from "#kafka";
import type { Serde } from "#serde";
import {
  callKey,
  type ProfileEventRecord,
  profileEvent,
  type Regulation,
  suppressionKey,
  type TopicMap,
  userHash,
} from "#topics";

export interface RegulationRecords {
  /** The user's suppression as it is from now on: for ingest, and for the audience processor. */
  readonly suppression: (regulation: Regulation, userId: string) => readonly OutgoingRecord[];
  /** The audience processor forgets the user (contract 5.3): of every source, because it knows of none alone. */
  readonly stateDeletion: (regulation: Regulation, userId: string) => readonly OutgoingRecord[];
  /** A `delete` call, as if the source had sent it. */
  readonly notification: (regulation: Regulation, sourceId: string, userId: string) => OutgoingRecord;
}

export interface RegulationRecordsParts {
  readonly topics: Pick<TopicMap, "calls" | "suppressions" | "profileEvents">;
  readonly serde: Pick<Serde, "encode">;
  nowMs(): number;
}

export function createRegulationRecords({ topics, serde, nowMs }: RegulationRecordsParts): RegulationRecords {
  const ofProfile = (userId: string, event: ProfileEventRecord): OutgoingRecord => ({
    topic: topics.profileEvents.name,
    key: userProfileId(userId),
    value: serde.encode(topics.profileEvents, event),
  });
  return {
    suppression({ id, regulationType, sourceId, createdAtMs }, userId) {
      const isBegun = suppressionOf(regulationType) === "begins";
      const suppression = { regulationId: id, atMs: createdAtMs };
      const forIngest = {
        topic: topics.suppressions.name,
        key: suppressionKey(sourceId, userHash(userId)),
        value: isBegun ? serde.encode(topics.suppressions, suppression) : null,
      };
      const event = profileEvent("suppress", { isSuppressed: isBegun, suppressedIn: sourceId });
      return [forIngest, ofProfile(userId, event)];
    },
    stateDeletion(regulation, userId) {
      const event = profileEvent("delete", { deletedAtMs: momentOf(regulation) });
      return [ofProfile(userId, event)];
    },
    notification(regulation, sourceId, userId) {
      const messageId = deletionMessageId({ regulationId: regulation.id, sourceId, userId });
      const timestampMs = momentOf(regulation);
      const call = {
        messageId,
        sourceId,
        type: "delete",
        userId,
        anonymousId: null,
        groupId: null,
        event: null,
        integrations: {},
        timestampMs,
        receivedAtMs: nowMs(),
        body: Buffer.from(deleteBody({ userId, timestampMs, messageId })),
      };
      return {
        topic: topics.calls.name,
        key: callKey(sourceId, call),
        value: serde.encode(topics.calls, call),
      };
    },
  };
}

/** Of the deletion; known before anything is written of it. */
function momentOf({ createdAtMs, deletedAtMs }: Regulation): number {
  return deletedAtMs ?? createdAtMs;
}
