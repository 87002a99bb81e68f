// The place of a call in its trace, as W3C Trace Context writes it: in HTTP headers and in headers of
// records.
import type { RecordHeaders } from "#kafka";

const TRACEPARENT = "traceparent";
const TRACESTATE = "tracestate";

/** Trace headers of a request. */
export interface CallerHeaders {
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** The span that the next one belongs under. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** The entries of other systems, as they came: nothing of it is read here. */
  readonly state: string | undefined;
}

/** Later versions may add to it behind another dash. */
const FORMAT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.{0,400})?$/;
const SAMPLED = 1;

/**
 * Reads the trace of a request; undefined where there is none. Without a traceparent a tracestate means
 * nothing.
 */
export function readTrace({ traceparent, tracestate }: CallerHeaders): TraceContext | undefined {
  const [, version, traceId, spanId, flags = "", rest] = FORMAT.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (version === "00" && rest !== undefined) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return { traceId, spanId, isSampled, state: tracestate };
}

/** Reads the trace of a record. */
export function readRecordTrace(headers: RecordHeaders): TraceContext | undefined {
  return readTrace({ traceparent: headers.get(TRACEPARENT), tracestate: headers.get(TRACESTATE) });
}

/** Writes the headers of a recorded span, for what it sends and writes. An empty state has no header. */
export function writeTrace({ traceId, spanId, state }: Omit<TraceContext, "isSampled">): RecordHeaders {
  return withState(`00-${traceId}-${spanId}-01`, state);
}

function withState(traceparent: string, state: string | undefined): RecordHeaders {
  const headers = new Map([[TRACEPARENT, traceparent]]);
  if (state !== undefined && state !== "") headers.set(TRACESTATE, state);
  return headers;
}

/** Keeps the headers of a record that a trace needs; those that others put beside them go no further. */
export function traceHeaders(headers: RecordHeaders): RecordHeaders | undefined {
  const traceparent = headers.get(TRACEPARENT);
  return traceparent === undefined ? undefined : withState(traceparent, headers.get(TRACESTATE));
}
