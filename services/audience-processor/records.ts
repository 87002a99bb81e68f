// What the processor writes to Kafka, but for the profiles themselves.
import { type AcceptedCall, SPACE_SOURCE } from "#contract";
import type { OutgoingRecord, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import {
  type AudienceProgress,
  audienceProgressKey,
  callKey,
  type ProfileEventRecord,
  rawDeadLetter,
  type TopicMap,
} from "#topics";

export interface ProcessorRecords {
  /** Something that happens to this profile. */
  profileEvent(profileId: string, event: ProfileEventRecord): OutgoingRecord;
  /** A call that tells of a changed value, as ingest would have written it. */
  spaceCall(call: AcceptedCall): OutgoingRecord;
  progress(progress: AudienceProgress): OutgoingRecord;
  progressEnd(key: string): OutgoingRecord;
  /** For a record that could not be read, or whose handling failed: its bytes as they are. */
  deadLetter(record: RawRecord, error: Error): OutgoingRecord;
}

export function createRecords(options: {
  readonly topics: TopicMap;
  readonly serde: Pick<Serde, "encode">;
  nowMs(): number;
}): ProcessorRecords {
  const { serde, topics } = options;
  return {
    profileEvent: (key, event) => ({
      topic: topics.profileEvents.name,
      key,
      value: serde.encode(topics.profileEvents, event),
    }),
    spaceCall: (call) => ({
      topic: topics.calls.name,
      key: callKey(SPACE_SOURCE, call),
      value: serde.encode(topics.calls, { ...call, sourceId: SPACE_SOURCE, body: Buffer.from(call.body) }),
    }),
    progress: (progress) => ({
      topic: topics.audienceProgress.name,
      key: audienceProgressKey(progress),
      value: serde.encode(topics.audienceProgress, progress),
    }),
    progressEnd: (key) => ({ topic: topics.audienceProgress.name, key, value: null }),
    deadLetter(record, error) {
      const letter = rawDeadLetter(record, { error, deadAtMs: options.nowMs(), destinationId: null });
      return { topic: topics.deadLetters.name, key: null, value: serde.encode(topics.deadLetters, letter) };
    },
  };
}
