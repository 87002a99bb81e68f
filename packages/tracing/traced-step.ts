// Traces of steps: what a step writes carries the trace on in its records' headers.
import type { Claim, OutgoingRecord, Received, RecordHeaders, Settle, Step } from "#kafka";
import { traceHeaders } from "./trace-context.ts";
import type { Span, SpanStart, Tracer } from "./tracer.ts";

/** Keeps a step's records in the trace that its record came in. */
export function carryTrace<T>(step: Step<T>): Step<T> {
  return (record, settle, claim) => {
    const headers = record.headers === undefined ? undefined : traceHeaders(record.headers);
    step(record, headers === undefined ? settle : withHeaders(settle, headers), claim);
  };
}

/** A span of each step whose record came in a trace; what it writes stands under that span. */
export function traceStep<T>(
  step: Step<T>,
  tracer: Tracer,
  start: (record: Received<T>) => SpanStart,
): Step<T> {
  const carried = carryTrace(step);
  return (record, settle, claim) => {
    const span = tracer.follow(record.headers, () => start(record));
    if (span === undefined) carried(record, settle, claim);
    else stepIn(span, () => step(record, endingSettle(span, settle), endingClaim(span, claim)));
  };
}

/** A step that throws is stepped again by the reader, in a span of its own. */
function stepIn(span: Span, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    span.end({ error: "step_failed" });
    throw thrown;
  }
}

function withHeaders(settle: Settle, headers: RecordHeaders): Settle {
  const addTo = (record: OutgoingRecord): OutgoingRecord => ({ ...record, headers });
  return ({ produceAfter: after, ...outcome }) =>
    settle({ ...outcome, produce: outcome.produce.map(addTo), produceAfter: after && addTo(after) });
}

function endingSettle(span: Span, settle: Settle): Settle {
  const carrying = withHeaders(settle, span.headers);
  return (outcome) => {
    const records = outcome.produce.length + (outcome.produceAfter === undefined ? 0 : 1);
    span.end({ attributes: { "hookline.records_written": records } });
    carrying(outcome);
  };
}

function endingClaim(span: Span, claim: Claim): Claim {
  return {
    get isOurs() {
      return claim.isOurs;
    },
    giveBack() {
      span.end({ error: "given_back" });
      claim.giveBack();
    },
  };
}
