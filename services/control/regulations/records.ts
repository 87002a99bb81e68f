// What a regulation becomes in Kafka.
import { deleteBody, deletionMessageId, suppressionOf } from "#contract";
import type { OutgoingRecord } from "#kafka";
import type { Serde } from "#serde";
import { callKey, type Regulation, suppressionKey, type TopicMap, userHash } from "#topics";

export interface RegulationRecords {
  /** The user's suppression as it is from now on. */
  suppression(regulation: Regulation, userId: string): OutgoingRecord;
  /** A `delete` call, as if the source had sent it. */
  notification(regulation: Regulation, sourceId: string, userId: string): OutgoingRecord;
}

export interface RegulationRecordsParts {
  readonly topics: Pick<TopicMap, "calls" | "suppressions">;
  readonly serde: Pick<Serde, "encode">;
  nowMs(): number;
}

export function createRegulationRecords({ topics, serde, nowMs }: RegulationRecordsParts): RegulationRecords {
  return {
    suppression({ id, regulationType, sourceId, createdAtMs }, userId) {
      const isBegun = suppressionOf(regulationType) === "begins";
      const suppression = { regulationId: id, atMs: createdAtMs };
      return {
        topic: topics.suppressions.name,
        key: suppressionKey(sourceId, userHash(userId)),
        value: isBegun ? serde.encode(topics.suppressions, suppression) : null,
      };
    },
    notification({ id, createdAtMs, deletedAtMs }, sourceId, userId) {
      const messageId = deletionMessageId({ regulationId: id, sourceId, userId });
      const timestampMs = deletedAtMs ?? createdAtMs;
      const call = {
        messageId,
        sourceId,
        type: "delete",
        userId,
        anonymousId: null,
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
