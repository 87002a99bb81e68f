// The outside of a request's handling: what ingest is given to work with.
import type { AcceptedCall } from "#contract";
import type { Host } from "#host";
import type { RecordHeaders } from "#kafka";
import type { Tracer } from "#tracing";
import type { LoadGate } from "./limits/load-gate.ts";
import type { RateLimit } from "./limits/rate-limit.ts";
import type { SourceLookup } from "./request/write-key.ts";
import type { FormerKeys } from "./sink/former-keys.ts";
import type { RefusedCallsLog } from "./sink/refused-calls.ts";
import type { Suppressions } from "./sink/suppressions.ts";
import type { Telemetry } from "./telemetry.ts";

/** The place to which accepted calls go. */
export interface CallSink {
  /** Whether every call is stored durably; "unavailable" when that was not certain in time. */
  store(
    sourceId: string,
    calls: readonly AcceptedCall[],
    /** Headers of the calls' records; none unless given. */
    headers?: RecordHeaders,
  ): Promise<"stored" | "unavailable">;
}

export interface IngestParts {
  readonly sources: SourceLookup;
  readonly suppressions: Suppressions;
  readonly sink: CallSink;
  readonly gate: LoadGate;
  readonly rateLimit: RateLimit;
  readonly telemetry: Telemetry;
  readonly tracer: Tracer;
  readonly refusedCalls: RefusedCallsLog;
  readonly formerKeys: FormerKeys;
  /** Proxies in front of ingest that append to X-Forwarded-For. */
  readonly trustedProxies: number;
  readonly publicHost: string | undefined;
  /** The service is ending: connections are not kept. */
  readonly stopping: () => boolean;
  readonly host: Pick<Host, "elapsed" | "setTimeout">;
  nowMs(): number;
  newMessageId(): string;
  /** Makes an id for a request that brings no usable one, and needs one. */
  newRequestId(): string;
  /** Resolves in a later turn of the event loop. */
  pause(): Promise<void>;
  /** Called with an error that nobody expected; the request was answered 500 and X-Request-Id. */
  onUnexpected(error: unknown, requestId: string): void;
}
