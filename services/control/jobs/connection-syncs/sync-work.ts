// What a sync works with.
import type { Host } from "#host";
import type { OutgoingRecord } from "#kafka";
import type { AudienceConfig, ConnectionSync, DestinationConfig } from "#topics";
import type { Pace } from "../../records/durable-work/pace.ts";
import type { ProfileReader } from "../../records/profiles/replica.ts";
import type { JobLog } from "./job-log.ts";
import type { GivenTo } from "./records.ts";
import type { SyncStore } from "./store.ts";
import type { Left } from "./sync.ts";
import type { CurrentValue } from "./values.ts";

export interface SyncWork {
  readonly store: Pick<SyncStore, "get" | "replace">;
  readonly destination: (id: string) => DestinationConfig | undefined;
  /** Its last version by which it takes no audiences, of those that this process was asked to work on. */
  readonly left: (id: string) => Left | undefined;
  readonly audience: (id: string) => AudienceConfig | undefined;
  readonly profiles: ProfileReader;
  readonly isSuppressed: (profileId: string) => boolean;
  readonly jobs: JobLog;
  /** The message id of the call by which the value was sent to others, or will be. */
  readonly sentAs: (value: CurrentValue) => string;
  /** The message id that `jobOf` gives it. */
  readonly givenAs: (value: CurrentValue, destination: DestinationConfig) => string;
  /** Of the record that `jobOf` makes of it. */
  readonly keyOf: (value: CurrentValue, destination: DestinationConfig) => string;
  /** undefined: the destination's filter does not let it pass. */
  readonly jobOf: (value: CurrentValue, to: GivenTo) => OutgoingRecord | undefined;
  /** Resolves when they are on all in-sync replicas. */
  readonly write: (records: readonly OutgoingRecord[]) => Promise<void>;
  readonly onWritten: (count: number) => void;
  readonly onDone: (sync: ConnectionSync) => void;
  readonly pace: Pick<Pace, "stepCalls" | "turn">;
  readonly host: Pick<Host, "delay" | "elapsed" | "setImmediate">;
  nowMs(): number;
}
