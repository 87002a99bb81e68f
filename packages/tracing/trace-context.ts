// Where a call stands in its trace, as W3C Trace Context writes it: in HTTP headers and in headers of records.
import type { RecordHeaders } from "#kafka";

export const TRACEPARENT = "traceparent";

/** The span that the next one belongs under. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Later versions may add to it behind another dash. */
const FORMAT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.{0,400})?$/;
const SAMPLED = 1;

/** Undefined for what is none. */
export function readTraceparent(text: string): TraceContext | undefined {
  const [, version, traceId, spanId, flags = "", rest] = FORMAT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (version === "00" && rest !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** Of a span that is recorded. */
export function writeTraceparent({ traceId, spanId }: Pick<TraceContext, "traceId" | "spanId">): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Of a record's headers only what a trace needs: what others put beside it goes no further. */
export function traceHeaders(headers: RecordHeaders): RecordHeaders | undefined {
  const traceparent = headers.get(TRACEPARENT);
  return traceparent === undefined ? undefined : new Map([[TRACEPARENT, traceparent]]);
}
